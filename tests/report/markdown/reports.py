"""Plans as they are in life, of 1, 5, 30 and 600 units."""

from dataclasses import replace
from itertools import pairwise

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.results import (
    Action,
    EnvironmentReport,
    Explanation,
    Leaving,
    LeavingEffect,
    LeavingWhy,
    Report,
    ReportKind,
    UnitReport,
)
from nyl.engine.unit_edges import Edge, UnitGraph

SOURCE = "8400718ac2236aa6b71cd5a9c43d4ddd94545257"
TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
DIGEST = "sha256:6916707da65148797708b9f4754dbf1e9fe43eb229a2a6e5db09b933c3b6611f"
DATABASE_PLAN = """\
database.main will change:

- size: small
+ size: large
  region: eu-central

1 to change, 0 to destroy
"""
_AREAS = ("billing", "catalog", "checkout", "identity", "search", "shipping")
_PARTS = ("database", "migrate", "api", "worker", "dashboard")


def plan_of(number: int) -> Report:
    """A plan of production with so many units."""
    return {1: one, 5: five, 30: thirty, 600: six_hundred}[number]()


def one() -> Report:
    """The first plan of a new project."""
    return _plan(_unit("announcement", Action.EXECUTE, reason="no receipt"))


def five() -> Report:
    """A bit of everything: a reviewed change, a blocked consumer, a unit that leaves."""
    return replace(
        _plan(
            _unit(
                "cache",
                Action.TEARDOWN,
                reason="left the ownership set (removed)",
                detail="needs --allow-teardown",
            ),
            _unit(
                "database",
                Action.AWAIT_APPROVAL,
                reason="execution inputs changed; it needs an approval of this change",
                change_digest=DIGEST,
                changes=DATABASE_PLAN,
                explanation=Explanation(("~/values/size",), ("~scripts/database.sh",)),
            ),
            _unit("migrate", Action.BLOCKED, reason="output host of database is not current"),
            _unit(
                "api",
                Action.EXECUTE,
                reason="execution inputs changed",
                explanation=Explanation(
                    ("~/values/image", "+/values/replicas"), ("-old.sh",), ("the fingerprint's output changed",)
                ),
            ),
            _unit("dashboard", Action.NONE),
            leaving=(Leaving("cache", LeavingWhy.REMOVED, LeavingEffect.TEARDOWN),),
            graph=UnitGraph(
                "production",
                ("database", "migrate", "api", "dashboard"),
                (Edge("database", "migrate", "host"), Edge("migrate", "api"), Edge("api", "dashboard", "url")),
            ),
            diagnostics=(_warning("cache (removed) leaves", Code.PLAN_UNITS_LEAVING), _warning("api failed once")),
        ),
    )


def thirty() -> Report:
    """Six areas of five units; one area changes and something new fails to resolve."""
    names = [f"{area}-{part}" for area in _AREAS for part in _PARTS]
    units = [_changing(name) if name.startswith("checkout") else _unit(name, Action.NONE) for name in names]
    edges = tuple(
        Edge(f"{area}-{producer}", f"{area}-{consumer}", "host" if consumer == "migrate" else "")
        for area in _AREAS
        for producer, consumer in pairwise(_PARTS)
    )
    return _plan(*units, graph=UnitGraph("production", tuple(names), edges))


def six_hundred() -> Report:
    """Every unit changes, as after a new version of a driver, with long names and a plan each; forty leave."""
    units = [_changing(f"service-{number:03}-of-the-{_AREAS[number % 6]}-team-{'x' * 28}") for number in range(560)]
    gone = [f"legacy-{number:02}" for number in range(40)]
    leaving = tuple(Leaving(each, LeavingWhy.REMOVED, LeavingEffect.TEARDOWN) for each in gone)
    reason = {"reason": "left the ownership set (removed)", "detail": "needs --allow-teardown"}
    return _plan(*(_unit(each, Action.TEARDOWN, **reason) for each in gone), *units, leaving=leaving)


def _changing(name: str) -> UnitReport:
    return _unit(
        name,
        Action.EXECUTE,
        reason="driver behavior version changed from 1 to 2",
        changes=f"{name} will change:\n\n- version: 1\n+ version: 2\n",
        change_digest=DIGEST,
        explanation=Explanation(("~/values/version",)),
    )


def _plan(*units: UnitReport, **fields: object) -> Report:
    section = EnvironmentReport("production", units, source=SOURCE, tree=TREE)
    return Report(ReportKind.PLAN, (replace(section, **fields),))  # type: ignore[arg-type]


def _unit(name: str, verdict: Action, **fields: object) -> UnitReport:
    return UnitReport(name, "Command", verdict, **fields)  # type: ignore[arg-type]


def _warning(message: str, code: Code = Code.UNIT_FAILED) -> Diagnostic:
    return Diagnostic(code, message, "run `nyl recover -e production`", Severity.WARNING, environment="production")
