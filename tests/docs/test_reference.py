"""The generated pages, and what the other pages claim."""

import re
import tomllib
from pathlib import Path

from nyl.core.codes import Code
from scripts.reference import outdated

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_committed_reference_says_what_the_program_says() -> None:
    assert outdated() == []


def test_every_code_that_a_page_names_exists() -> None:
    known = {code.value for code in Code}
    named = {match for page in PAGES for match in re.findall(r"\bNYL-[A-Z]+(?:-[A-Z]+)*\b", page.read_text("utf-8"))}
    assert named <= known


def test_every_code_is_given_by_the_program_and_met_by_a_test() -> None:
    given, _ = _codes_in("nyl")
    names, values = _codes_in("tests")
    assert {code.name for code in Code} - given == set()
    assert {code.value for code in Code if code.name not in names} - values == set()


def _codes_in(folder: str) -> tuple[set[str], set[str]]:
    """The codes that the Python files of a folder name: by their names in the program, and as users see them."""
    text = "".join(each.read_text("utf-8") for each in (ROOT / folder).rglob("*.py"))
    return set(re.findall(r"\bCode\.([A-Z_]+)", text)), set(re.findall(r"\bNYL-[A-Z]+(?:-[A-Z]+)*", text))


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_package_names_its_licence_and_its_readme() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"] == "Apache-2.0"
    assert (ROOT / project["readme"]).exists()
