"""Charts of Git repositories: the files of a tag or commit, never those of a branch."""

import re

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.chart_content import CHART_FILE, ChartContent
from nyl.kubernetes.expansion.local_charts import chart_below
from nyl.kubernetes.expansion.references import ChartReference
from nyl.kubernetes.git_files import GitFiles

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def git_chart(git: GitFiles, reference: ChartReference, title: str) -> ChartContent:
    """The chart in a folder of a repository, at the tag or commit that its version names.

    Raises NYL-CHART-UNPINNED for a version that is no tag there, NYL-CHART-MISSING where the folder is no chart,
    NYL-SOURCE-MISSING and NYL-REMOTE-UNAVAILABLE.
    """
    commit = _commit(git, reference, title)
    tree = git.tree(reference.base, commit, title)
    entries = dict(tree.under(reference.name))
    if f"{reference.name}/{CHART_FILE}".lstrip("/") not in entries:
        message = f"{title} is not there: commit {commit} has no {reference.name or '.'}/{CHART_FILE}."
        raise NylError(Code.CHART_MISSING, message, "write the folder of the chart as `name`")
    return chart_below(tree, reference.name, entries)[0]


def _commit(git: GitFiles, reference: ChartReference, title: str) -> str:
    if _COMMIT.fullmatch(reference.version):
        return reference.version
    commit = git.tagged(reference.base, reference.version)
    if commit is None:
        message = f"{title} names {reference.version!r}, which is no tag of the repository."
        fix = "give a tag or a full commit id; a branch would be another chart tomorrow"
        raise NylError(Code.CHART_UNPINNED, message, fix)
    return commit
