"""Globs that may mean files of a submodule: nothing of those is read, and that is told.

A glob that selects a submodule itself, or what is named inside of one, is refused where files are selected.
"""

from collections.abc import Iterable, Iterator

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.inputs import UnitContents


def submodule_warnings(environment: str, units: Iterable[UnitContents]) -> Iterator[Diagnostic]:
    """NYL-SOURCE-INPUT for each glob of a unit that reaches into submodules."""
    for unit in units:
        for files in unit.inputs.files:
            for glob in files.globs if not files.ignore else ():
                missed = unit.contents[files.source].reached_submodules(glob)
                if missed:
                    yield Diagnostic(
                        Code.SOURCE_INPUT,
                        f"The input path {glob} selects nothing in {', '.join(missed)}: the files of a submodule are "
                        "not in this repository, so they enter no key and no checkout.",
                        "vendor them as ordinary Git content, or name the folders beside the submodule alone",
                        Severity.WARNING,
                        environment,
                        unit.unit.name,
                        unit.unit.rendered.location,
                    )
