"""Every fix reads on from `fix: `, as the reference shows it: an imperative in lower case without a full stop."""

import ast
from collections.abc import Iterator
from pathlib import Path

NYL = Path(__file__).parents[2] / "nyl"


def literal_fixes() -> Iterator[str]:
    """The fixes that stand in the code where an error or diagnostic is made."""
    for file in sorted(NYL.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("NylError", "Diagnostic"):
                yield from (text for argument in node.args[2:3] for text in _texts(argument))


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def test_fixes_are_imperatives_in_lower_case_without_a_full_stop() -> None:
    fixes = list(literal_fixes())
    assert len(fixes) > 50
    assert [fix for fix in fixes if fix[0].isupper() or fix.endswith(".")] == []
