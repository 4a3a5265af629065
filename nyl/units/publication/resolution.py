"""Completing a unit at resolution: every effective input of its target, and what the tree is rendered from."""

from contextlib import closing
from dataclasses import replace

from nyl.project.tree_reads import RecordingTree
from nyl.units.completion import Completion
from nyl.units.publication.answers import Answers
from nyl.units.publication.rendering import render_unit
from nyl.units.source_project import SourceProject


def work_out(answers: Answers, source: SourceProject) -> Completion:
    """Renders the target for an answer that is not known, and keeps it. Raises what rendering a tree raises."""
    tree = RecordingTree(source.session.tree)
    with closing(replace(source.session, tree=tree)) as session:
        rendering = render_unit(session, answers.spec, lambda: answers.published)
    return answers.keep(rendering.releases, rendering.fingerprint, rendering.readiness, tree.reads)
