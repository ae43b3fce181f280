"""The reference: what is public is said in `.ci/site/pages.toml`, and its docstrings give what a user needs."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from html.parser import HTMLParser
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from pydantic import BaseModel

import qrkit
from qrkit import errors
from qrkit.late import Later

ROOT = Path(__file__).parent.parent
CHAPTERS = tomllib.loads((ROOT / ".ci/site/pages.toml").read_text(encoding="utf-8"))["chapters"]
PAGES = {name: page for chapter in CHAPTERS for name, page in chapter["pages"].items()}
ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, Exception)}


@dataclass(frozen=True)
class Public:
    """A public thing: the page it stands on, its name there, and itself; of a property its function."""

    page: str
    name: str
    value: Any

    @property
    def docstring(self) -> str:
        return inspect.getdoc(self.value) or ""

    def __str__(self) -> str:
        return f"{self.page}.{self.name}"


def on_page(page: str) -> list[str]:
    """The names of a page; `Class.member` says that not all of a class is public."""
    told, without = PAGES[page], PAGES[page].get("without", [])
    listed = [*told.get("names", import_module(page).__all__), *told.get("members", [])]
    return [name for name in listed if name not in without]


def function_of(member: Any) -> Any:
    """The function of a method or a property, without what wraps it; anything else as it is."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return inspect.unwrap(member.__func__ if isinstance(member, classmethod | staticmethod) else member)


def members(cls: type, names: list[str], others: list[Any]) -> Iterator[tuple[str, FunctionType]]:
    """The public methods and properties of a class, but for those that it has of `others`, which are public, too."""
    ours = [base for base in reversed(cls.__mro__) if base.__module__.startswith("qrkit.") and base not in others]
    loaded = {
        name: getattr(cls, name) if isinstance(one, Later) else one for base in ours for name, one in vars(base).items()
    }
    found = {name: function_of(one) for name, one in loaded.items()}
    some = {name.partition(".")[2] for name in names if name.startswith(f"{cls.__name__}.")}
    for name, one in found.items():
        is_ours = isinstance(one, FunctionType) and one.__module__.startswith("qrkit.")
        if is_ours and not name.startswith("_") and (name in some or not some):
            yield name, one


def public() -> list[Public]:
    """All public things, each once."""
    found: dict[int, Public] = {}
    for page in PAGES:
        for name in dict.fromkeys(name.partition(".")[0] for name in on_page(page)):
            value = function_of(getattr(import_module(page), name))
            found.setdefault(id(value), Public(page, name, value))
    for one in [one for one in found.values() if isinstance(one.value, type)]:
        others = [other.value for other in found.values() if other is not one]
        for member, function in members(one.value, on_page(one.page), others):
            found.setdefault(id(function), Public(one.page, f"{one.name}.{member}", function))
    return [one for one in found.values() if not isinstance(one.value, ModuleType)]


PUBLIC = public()
FUNCTIONS = [one for one in PUBLIC if isinstance(one.value, FunctionType)]
CLASSES = [one for one in PUBLIC if isinstance(one.value, type)]
CONSTANTS = [one for one in PUBLIC if not isinstance(one.value, FunctionType | type)]


def faults(things: list[Public], fault: Callable[[Public], Any]) -> dict[str, Any]:
    """What is wrong with each of these things, where something is; a test of its own for each would take a minute."""
    return {str(thing): found for thing in things if (found := fault(thing))}


# ---- what is public


def test_the_page_of_qrkit_has_all_that_it_exports():
    assert sorted(on_page("qrkit")) == sorted(qrkit.__all__)


@pytest.mark.parametrize(
    "name", ["qrkit", *(f"qrkit.{name}" for name in qrkit.__all__ if isinstance(getattr(qrkit, name), ModuleType))]
)
def test_completion_shows_what_a_module_exports_and_no_more(name):
    module = import_module(name)
    assert dir(module) == sorted(module.__all__)
    assert {one.partition(".")[0] for one in on_page(module.__name__)} == set(module.__all__)


def imported(text: str) -> set[tuple[str, str]]:
    """What a text of Python imports from qrkit: module and name."""
    lines = re.findall(r"^(?:>>> )?from (qrkit[\w.]*) import (.+)$", text, re.MULTILINE)
    homes = {module: import_module(module).__name__ for module, _ in lines}
    return {(homes[module], name.strip()) for module, names in lines for name in names.strip("()").split(",")}


def guides() -> Iterator[tuple[str, str]]:
    for path in (ROOT / "README.md", *sorted((ROOT / "notebooks/how-to").glob("*.md"))):
        yield path.name, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path.name, "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize(("name", "text"), list(guides()), ids=lambda one: one if len(one) < 40 else "")
def test_whatever_the_guides_import_is_public(name, text):
    names = {page: {one.partition(".")[0] for one in on_page(page)} for page in PAGES}
    hidden = {
        f"{module}.{one}"
        for module, one in imported(text)
        if one not in names.get(module, ()) and f"{module}.{one}" not in PAGES
    }
    # The demo is a command that shows what qrkit does, not a part to build on.
    assert hidden <= {"qrkit.commands.demo"}, "is on no page"


@cache
def borrowed(module: str) -> dict[str, str]:
    """Names that a module imports, those for type checkers too, and where from."""
    nodes = ast.walk(ast.parse(inspect.getsource(import_module(module))))
    return {alias.name: node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def hidden_types(thing: Public) -> list[type]:
    """Types that a function gives, and that are on no page."""
    given = re.findall(r"\b[A-Z]\w+", str(thing.value.__annotations__.get("return", "")))
    origins = {name: borrowed(thing.value.__module__).get(name, thing.value.__module__) for name in given}
    values = [getattr(import_module(one), name, None) for name, one in origins.items() if one.startswith("qrkit")]
    types = [one for one in values if isinstance(one, type) and one.__module__.startswith("qrkit")]
    return [one for one in types if one not in [other.value for other in CLASSES]]


def test_whatever_a_public_function_gives_is_public():
    assert faults(FUNCTIONS, hidden_types) == {}


# ---- what docstrings hold


def first_words(thing: Public) -> str | None:
    """The first paragraph of a docstring that is no sentence, or of one that belongs to something else."""
    words = thing.docstring.partition("\n\n")[0].replace("\n", " ") if thing.value.__doc__ else ""
    return None if re.match(r".+[.:]$|.+[.:] .+", words) else words or "no docstring"


def test_public_thing_has_a_docstring_of_its_own():
    assert faults(FUNCTIONS + CLASSES, first_words) == {}


def test_what_people_hold_says_what_it_is():
    assert faults(CLASSES, lambda one: one.value.__repr__ is object.__repr__) == {}


def lacks_a_sentence(thing: Public) -> bool:
    """Whether a constant has no docstring under it."""
    origin = import_module(borrowed(thing.page).get(thing.name, thing.page))
    body = ast.parse(inspect.getsource(origin)).body
    told = {
        ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
        for node, after in pairwise(body)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }
    return thing.name not in told


def test_public_constant_is_explained():
    assert faults(CONSTANTS, lacks_a_sentence) == {}


def entries(docstring: str, section: str) -> set[str]:
    """The names that a section lists, without stars and what stands in parentheses after them."""
    found = re.search(rf"^{section}:\n((?: +.*\n?|\n)+)", docstring, re.MULTILINE)
    return set(re.findall(r"^    \**([\w.]+)(?: \([^)]*\))?:", found[1], re.MULTILINE)) if found else set()


def untold_arguments(thing: Public) -> set[str]:
    """As they are written: the fields of a design, which a signature lists one by one, are told together."""
    arguments, *stars = inspect.getargs(thing.value.__code__)
    names = [name for name in (*arguments, *stars) if name and name not in ("self", "cls")]
    return set(names) - entries(thing.docstring, "Args") if len(names) > 1 else set()


def test_each_of_several_arguments_is_told():
    assert faults(FUNCTIONS, untold_arguments) == {}


def told_fields(cls: type) -> set[str]:
    """The fields that a reader of a record's docstring looks for."""
    if issubclass(cls, BaseModel):
        return set(cls.model_fields)
    names = [one.name for one in fields(cls)] if is_dataclass(cls) else getattr(cls, "_fields", ())
    return {name for name in names if not name.startswith("_")}


def untold_fields(thing: Public) -> set[str]:
    some = [name.partition(".")[2] for name in on_page(thing.page) if name.startswith(f"{thing.name}.")]
    missing = told_fields(thing.value) - entries(thing.docstring, "Attributes")
    return missing - (missing.difference(some) if some else set())


def test_each_field_of_a_record_is_told():
    assert faults(CLASSES, untold_fields) == {}


def test_function_that_gives_a_dataframe_lists_its_columns():
    gives_frames = [one for one in FUNCTIONS if "DataFrame" in str(one.value.__annotations__.get("return"))]
    assert faults(gives_frames, lambda thing: "Columns:" not in thing.docstring) == {}


def raised(node: ast.AST, private: dict[str, ast.AST]) -> set[str]:
    """Names of the errors that a body raises itself, or by a private function of its module, and does not catch."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
        return set()
    found = set().union(*(raised(one, private) for one in ast.iter_child_nodes(node)))
    if isinstance(node, ast.Try) and node.handlers:
        found = set().union(*(raised(one, private) for one in [*node.handlers, *node.orelse, *node.finalbody]))
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        found.add(ast.unparse(node.exc.func).rpartition(".")[2])
    if isinstance(node, ast.Call) and (name := ast.unparse(node.func).removeprefix("self.")) in private:
        others = {other: one for other, one in private.items() if other != name}
        found |= set().union(*(raised(one, others) for one in getattr(private[name], "body", [])))
    return found


@cache
def defined_in(module: str) -> list[ast.FunctionDef]:
    tree = ast.parse(inspect.getsource(import_module(module)))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def untold_errors(thing: Public) -> set[str]:
    defined = defined_in(thing.value.__module__)
    private = {node.name: node for node in defined if re.match("_[a-z]", node.name)}
    own = next(node for node in defined if first_line(node) == thing.value.__code__.co_firstlineno)
    found = set().union(*(raised(one, private) for one in own.body)) & ERRORS
    told = entries(thing.docstring, "Raises")
    return {name for name in found if not told & {one.__name__ for one in getattr(errors, name).__mro__}}


def test_each_error_that_is_raised_is_told():
    assert faults(FUNCTIONS, untold_errors) == {}


def first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


# ---- the pages


class Page(HTMLParser):
    """What a page refers to, what it loads, and the places in it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file, self.links, self.loaded, self.ids = file, set(), set(), set()
        self.text = file.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.ids.add(told.get("id"))
        if tag == "a" and "href" in told:
            self.links.add(told["href"])
        self.loaded |= {told[name] for name in ("src", "srcset", "href") if name in told and tag != "a"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ".ci/site/build.py", str(folder)], cwd=ROOT, check=True)
    return {
        file.relative_to(folder).as_posix(): Page(file)
        for file in sorted(folder.rglob("*.html"))
        if "_static" not in file.parts
    }


@pytest.mark.slow
def test_reference_has_every_public_name_and_no_private_one(built):
    missing = [one for one in PUBLIC if f"{one.page}.{one.name}" not in built[f"reference/{one.page}.html"].ids]
    private = [id_ for page in built.values() for id_ in page.ids if id_ and re.match(r"qrkit\..*\._(?!_call__)", id_)]
    assert [str(one) for one in missing] == []
    assert private == []


@pytest.mark.slow
def test_reference_shows_the_bounds_of_fields(built):
    assert "1..20 pixels per module" in built["reference/qrkit.html"].text


@pytest.mark.slow
def test_the_reference_asks_a_question_of_each_module(built):
    start = built["reference/index.html"]
    assert {f"{page}.html" for page in PAGES} <= start.links
    assert [page["asks"] for page in PAGES.values() if page["asks"] not in start.text] == []


@pytest.mark.slow
def test_every_notebook_and_how_to_page_is_a_page_that_its_overview_leads_to(built):
    for folder, pattern in (("", "*.ipynb"), ("how-to/", "*.md")):
        names = {path.stem for path in (ROOT / "notebooks" / folder).glob(pattern)} - {"README", "index"}
        assert {f"guide/{folder}{name}.html" for name in names} <= built.keys()
        assert {f"{name}.html" for name in names} <= built[f"guide/{folder}index.html"].links
    assert {"guide/index.html", "guide/how-to/index.html", "reference/index.html"} <= built["index.html"].links


@pytest.mark.slow
def test_links_of_the_site_lead_somewhere(built):
    files = {page.file.resolve(): page for page in built.values()}
    broken = []
    for name, page in built.items():
        for link in [one for one in page.links if not re.match(r"https?://|mailto:", one)]:
            path, anchor = urldefrag(link)
            place = (page.file.parent / unquote(path)).resolve() if path else page.file.resolve()
            target = files.get(place)
            if (target is None and not place.is_file()) or (anchor and target and unquote(anchor) not in target.ids):
                broken.append(f"{name}: {link}")
    assert broken == []


@pytest.mark.slow
def test_every_picture_and_script_is_there(built):
    loaded = {
        (page.file.parent / unquote(re.split("[?#]", one)[0])).resolve(): name
        for name, page in built.items()
        for one in page.loaded
        if not re.match(r"data:|(?:\w+:)?//|#", one)
    }
    assert loaded
    assert [f"{name}: {file.name}" for file, name in loaded.items() if not file.exists()] == []


@pytest.mark.slow
def test_links_to_the_repository_lead_to_files(built):
    source = "https://github.com/qrkit/qrkit/blob/main/"
    links = {urldefrag(link)[0] for page in built.values() for link in page.links if link.startswith(source)}
    assert links
    assert [link for link in links if not (ROOT / link.removeprefix(source)).exists()] == []


@pytest.mark.slow
def test_the_site_asks_no_other_host(built):
    loaded = {link for page in built.values() for link in page.loaded}
    foreign = [link for link in loaded if not link.startswith("data:") and re.match(r"(?:\w+:)?//", link)]
    urls = [url for page in built.values() for url in re.findall(r"(?:url\(|@import )\W*(?!data:)(\w+:)?//", page.text)]
    assert (foreign, urls) == ([], [])
