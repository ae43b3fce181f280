"""What comes along may come along."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = spec_from_file_location("list_licences", ROOT / ".ci" / "list_licences.py")
licences = module_from_spec(SPEC)
SPEC.loader.exec_module(licences)


@pytest.mark.parametrize("name", sorted(licences.needed()))
def test_every_package_has_a_licence_of_the_list_and_is_on_the_page(name):
    """If it is not on the page, `make licences` writes it anew."""
    found = licences.licence_of(name)
    assert found, f"{name} has no licence that may come along"
    page = (ROOT / ".github" / "licences.md").read_text(encoding="utf-8")
    assert f"| {name} | {found} |" in page


def test_the_page_names_nothing_that_the_lock_does_not():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    page = (ROOT / ".github" / "licences.md").read_text(encoding="utf-8")
    names = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(names) > 40
    assert [name for name in names if f"\n{name}==" not in lock] == []
