"""The rules of the house, read from the source. `[tool.qrkit.house]` in pyproject.toml holds the tables."""

from __future__ import annotations

import ast
import gc
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from re import _parser as patterns  # type: ignore[attr-defined]  # how `re` reads a pattern
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import qrkit

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "qrkit"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HOUSE = PYPROJECT["tool"]["qrkit"]["house"]
ROOMS = HOUSE["rooms"]
SEAM = "late"
FACADE = "qrkit"

LONGEST_MODULE = 600
LONGEST_FUNCTION = 40
MOST_POSITIONAL = 5
MOST_KEYWORDS = 12
MOST_PUBLIC_NAMES = 53
MOST_CELLS = 20
MOST_ENTRIES = 31
MOST_LAYERED = 20
SLACK = 200
"""Lines of code that a room may have below its budget before the budget goes down."""
SHELLS = ("commands", "server.handlers", "notebook.views", "notebook.console")
"""Their files bear the names of what they serve."""
MOST_TYPES_FROM_BELOW = 6
"""Imports upwards that only type checkers see: the methods of `Design` that higher rooms have."""
VAGUE_NAMES = {"utils", "helpers", "common", "base", "misc", "main", "core"}
HEAVY = {
    "pandas", "matplotlib", "duckdb", "ipywidgets", "openpyxl", "lxml", "falcon", "numpy", "scipy", "waitress",
    "xlrd", "xlwt",
}  # fmt: skip

LATE = {"Image": "PIL", "etree": "lxml", "np": "numpy", "pd": "pandas"}
"""Libraries by the names that they have in the seam, where they are loaded on first use."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def module_name(path: Path) -> str:
    """`symbol.decode` for qrkit/symbol/decode.py, `symbol` for qrkit/symbol/__init__.py, `qrkit` for the facade."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__") or FACADE


def file_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parse(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    gc.freeze()  # the collector of garbage would look through all trees again and again
    return tree


@pytest.fixture(scope="module", autouse=True)
def forgotten_trees() -> Iterator[None]:
    """Hundreds of megabytes, which no other test needs."""
    yield
    parse.cache_clear()
    functions.cache_clear()


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it but expressions, which are most of them and hold no statement."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield from statements(child)


def definitions(node: ast.AST, prefix: str = "", *, public: bool = True) -> Iterator[tuple[str, Definition, bool]]:
    """Each class and function below a node: its dotted name, itself, and whether users see it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            name, seen = f"{prefix}{child.name}", public and not child.name.startswith("_")
            yield name, child, seen
            yield from definitions(child, f"{name}.", public=seen and isinstance(child, ast.ClassDef))
        elif not isinstance(child, ast.expr):
            yield from definitions(child, prefix, public=public)


@cache
def functions(path: Path) -> list[tuple[str, Function, bool]]:
    return [(name, node, public) for name, node, public in definitions(parse(path)) if isinstance(node, Function)]


# ---- rooms and doors


def imported(node: ast.AST, module: str) -> set[str]:
    """Every module that is named in an import below a node: those inside functions count too."""
    names = set()
    for child in statements(node):
        if isinstance(child, ast.Import):
            names |= {alias.name for alias in child.names}
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, f"{module} imports relatively; name the module in full"
            names |= {submodule(child.module or "", alias.name) for alias in child.names}
            if child.module == f"qrkit.{SEAM}":
                names |= {LATE[alias.name] for alias in child.names if alias.name in LATE}
    return names


@cache
def imports_apart(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """What a file imports when it runs, and what only type checkers do."""
    running: set[str] = set()
    checked: set[str] = set()
    for node in parse(path).body:
        is_checked = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        (checked if is_checked else running).update(imported(node, module_name(path)))
    return frozenset(running), frozenset(checked)


def imports(path: Path, *, running: bool = False) -> frozenset[str]:
    """What a file imports; with `running`, without what only type checkers do."""
    when_it_runs, checked = imports_apart(path)
    return when_it_runs if running else when_it_runs | checked


def own_imports(path: Path, *, running: bool = False) -> set[str]:
    """The modules of qrkit that a file imports, but for the facade."""
    names = {name.removeprefix("qrkit.") for name in imports(path, running=running) if name.split(".")[0] == "qrkit"}
    return names - {FACADE}


@cache
def submodule(package: str, name: str) -> str:
    """What `from package import name` imports: a module of qrkit by its full name, else the package."""
    folder = ROOT.joinpath(*package.split("."), name)
    return f"{package}.{name}" if folder.with_suffix(".py").exists() or folder.is_dir() else package


def listed(module: str, names: list[str]) -> str | None:
    """The name that stands for a module in a list: its own, else that of the nearest folder around it."""
    parts = module.split(".")
    return next((name for end in range(len(parts), 0, -1) if (name := ".".join(parts[:end])) in names), None)


def room(module: str) -> str:
    return module.split(".")[0]


def test_rooms_are_those_of_the_list() -> None:
    found = {path.stem if path.suffix else path.name for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert found - {"__init__", "__pycache__"} == set(ROOMS), "rooms in [tool.qrkit.house] of pyproject.toml"
    assert len(set(ROOMS)) == len(ROOMS)


def upward(*, running: bool) -> list[str]:
    """Each import of a room further down the list, those inside functions counted."""
    return [
        f"{module_name(path)} imports {name}"
        for path in SOURCES
        if module_name(path) != FACADE
        for name in sorted(own_imports(path, running=running))
        if ROOMS.index(room(name)) > ROOMS.index(room(module_name(path)))
    ]


def test_rooms_import_only_from_rooms_above_them_in_the_list() -> None:
    assert upward(running=True) == [], "rooms in [tool.qrkit.house] of pyproject.toml gives the order"


def test_only_the_types_of_methods_come_from_below() -> None:
    lines = upward(running=False)
    assert len(lines) == MOST_TYPES_FROM_BELOW
    assert {line.split()[0] for line in lines} == {SEAM}


def test_no_module_imports_the_facade() -> None:
    facade = [module_name(path) for path in SOURCES if "qrkit" in imports(path, running=True)]
    assert facade == [], "name the module that has it"


def test_no_module_imports_itself_by_a_circle() -> None:
    """Imports inside functions count."""
    graph = {module_name(path): own_imports(path, running=True) for path in SOURCES}
    del graph[FACADE]
    TopologicalSorter(graph).prepare()
    assert len(graph) > len(ROOMS)


def place(module: str, folder: str) -> str:
    """What of a folder a module is in: a file or a folder directly in it."""
    return module.removeprefix(folder).lstrip(".").split(".")[0]


@pytest.mark.parametrize("folder", HOUSE["layered"])
def test_places_of_a_folder_form_no_circle(folder: str) -> None:
    graph: dict[str, set[str]] = {}
    for path in SOURCES:
        if listed(module_name(path), [folder]):
            own = place(module_name(path), folder)
            below = {place(name, folder) for name in own_imports(path, running=True) if listed(name, [folder])}
            graph.setdefault(own, set()).update(below - {own})
    TopologicalSorter(graph).prepare()
    assert 1 < len(graph) <= MOST_LAYERED


def test_folders_have_few_entries() -> None:
    folders = {path for path in PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__"} | {PACKAGE}
    entries = {folder.name: {path.name for path in folder.iterdir()} - {"__pycache__"} for folder in folders}
    code = {name: found for name, found in entries.items() if any(one.endswith(".py") for one in found)}
    full = {name: len(found) for name, found in code.items() if len(found) > MOST_ENTRIES}
    assert full == {}, f"a folder has at most {MOST_ENTRIES} entries; use a module that is there, or a folder in it"


def test_each_library_is_imported_only_by_its_doors() -> None:
    wrong = []
    for path in SOURCES:
        libraries = {name.split(".")[0] for name in imports(path)} - sys.stdlib_module_names - {"qrkit"}
        doors = {library: HOUSE["doors"].get(library, []) for library in sorted(libraries)}
        wrong += [
            f"{module_name(path)} imports {library}, whose doors are {names}"
            for library, names in doors.items()
            if not listed(module_name(path), names)
        ]
    assert wrong == [], "[tool.qrkit.house.doors] of pyproject.toml lists the doors"


def test_import_and_plain_codes_load_nothing_heavy() -> None:
    program = (
        "import json, qrkit, sys; image = qrkit.generate('light'); image.to_bytes('svg'); image.to_bytes('png');"
        "print(json.dumps(list(sys.modules)))"
    )
    loaded = json.loads(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)
    assert HEAVY.isdisjoint(loaded)


# ---- sizes and names


def test_modules_are_small() -> None:
    sizes = {module_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    long = {name: size for name, size in sizes.items() if size > LONGEST_MODULE and name not in HOUSE["tables"]}
    assert long == {}, f"more than {LONGEST_MODULE} lines"


def test_no_module_has_a_vague_name() -> None:
    assert [path for path in SOURCES if not VAGUE_NAMES.isdisjoint(module_name(path).split("."))] == []


def test_one_name_is_one_module() -> None:
    """A folder's main file bears its name, and a file of a shell that of what it serves; others are in a list."""
    places: dict[str, list[str]] = {}
    for path in [*SOURCES, *(path.parent for path in SOURCES if path.name == "__init__.py")]:
        name = module_name(path) if path.suffix else path.relative_to(PACKAGE).as_posix().replace("/", ".")
        is_main = path.suffix and path.stem == path.parent.name
        if path.stem != "__init__" and not is_main and not listed(name, [*SHELLS]):
            places.setdefault(path.stem, []).append(name)
    twice = {name for name, found in places.items() if len(found) > 1}
    assert twice == set(HOUSE["names"]), "names in [tool.qrkit.house] of pyproject.toml"


def docstring_lines(tree: ast.Module) -> set[int]:
    """Numbers of the lines of docstrings, those of attributes counted."""
    texts = [
        node
        for node in statements(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return {number for node in texts for number in range(node.lineno, (node.end_lineno or 0) + 1)}


def lines_of_code(path: Path) -> int:
    """Lines of a file without docstrings, comments and empty lines."""
    texts = enumerate(map(str.strip, path.read_text(encoding="utf-8").splitlines()), start=1)
    left_out = docstring_lines(parse(path))
    return sum(number not in left_out and text != "" and text[0] != "#" for number, text in texts)


def test_rooms_keep_their_budgets_of_lines() -> None:
    sizes = dict.fromkeys(ROOMS, 0) | {FACADE: 0}
    for path in SOURCES:
        sizes[room(module_name(path))] += lines_of_code(path)
    assert sizes.keys() == HOUSE["budget"].keys()
    budget, most = HOUSE["budget"], HOUSE["most-lines"]
    told = [
        f"{name} has {size} lines of code and a budget of {budget[name]}; it may grow by what another room gives up"
        for name, size in sizes.items()
        if not 0 <= budget[name] - size < SLACK
    ]
    assert told == [], "[tool.qrkit.house.budget] of pyproject.toml"
    assert sum(budget.values()) <= most, f"the budgets are {sum(budget.values())} together; most-lines is {most}"


def code_lines(function: Function, source: list[str]) -> int:
    """Lines of a function without its docstring, comments and empty lines."""
    lines = set(range(function.lineno, (function.end_lineno or 0) + 1))
    if ast.get_docstring(function):
        lines -= set(range(function.body[0].lineno, (function.body[0].end_lineno or 0) + 1))
    texts = [source[number - 1].strip() for number in lines]
    return len([text for text in texts if text and not text.startswith("#")])


def test_functions_are_short() -> None:
    long = []
    for path in SOURCES:
        source = path.read_text(encoding="utf-8").splitlines()
        sizes = [(name, code_lines(function, source)) for name, function, _ in functions(path)]
        long += [f"{module_name(path)}.{name}: {size}" for name, size in sizes if size > LONGEST_FUNCTION]
    assert long == [], f"more than {LONGEST_FUNCTION} lines of code"


def test_functions_have_few_parameters() -> None:
    wide = []
    for path in SOURCES:
        for name, function, _ in functions(path):
            is_kind = any(ast.unparse(one).startswith("kind(") for one in function.decorator_list)
            if is_kind or name in ("Records.insert_qrcode", "Records.update_qrcode"):
                continue  # the parameters are the fields of a record
            positional = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
            if positional[:1] in (["self"], ["cls"]):
                positional = positional[1:]
            if len(positional) > MOST_POSITIONAL or len(function.args.kwonlyargs) > MOST_KEYWORDS:
                wide.append(f"{module_name(path)}.{name}")
    assert wide == [], f"more than {MOST_POSITIONAL} positional or {MOST_KEYWORDS} keyword-only parameters"


def test_public_names_are_few_listed_and_sorted() -> None:
    def kind(name: str) -> tuple[int, str]:
        """Constants, classes, functions, as ruff sorts them."""
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    from_imports = [node for node in ast.walk(parse(PACKAGE / "__init__.py")) if isinstance(node, ast.ImportFrom)]
    borrowed = {
        alias.name
        for node in from_imports
        for alias in node.names
        if node.module in {*sys.stdlib_module_names, f"qrkit.{SEAM}"}
    }
    names = {name for name, value in vars(qrkit).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    assert names - borrowed <= set(qrkit.__all__)
    assert [name for name in qrkit.__all__ if not hasattr(qrkit, name)] == []
    assert qrkit.__all__ == sorted(set(qrkit.__all__), key=kind)
    assert len(qrkit.__all__) < MOST_PUBLIC_NAMES


# ---- docstrings


def raises(node: ast.AST) -> bool:
    """Whether a body raises an error of its own, not one on its way; functions inside it answer for themselves."""
    children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, Definition)]
    return any((isinstance(child, ast.Raise) and child.exc) or raises(child) for child in children)


def test_whatever_is_public_has_a_docstring() -> None:
    bare = [module_name(path) for path in SOURCES if not ast.get_docstring(parse(path))]
    for path in SOURCES:
        overloads = {
            name for name, function, _ in functions(path) if "overload" in map(ast.unparse, function.decorator_list)
        }
        bare += [
            f"{module_name(path)}.{name}"
            for name, node, public in definitions(parse(path))
            if public and name not in overloads and not ast.get_docstring(node)
        ]
    assert bare == [], "without a docstring"


def shown_modules() -> set[str]:
    """The modules that have a page in the reference; docstrings of others are for those who change them."""
    chapters = tomllib.loads((ROOT / ".ci/site/pages.toml").read_text(encoding="utf-8"))["chapters"]
    return {name.removeprefix("qrkit.") for chapter in chapters for name in chapter["pages"]}


def test_functions_of_the_reference_say_what_they_raise() -> None:
    """`test_reference.py` asks the same of what these modules take from others."""
    shown = shown_modules()
    silent = [
        f"{module_name(path)}.{name}"
        for path in SOURCES
        if module_name(path) in shown
        for name, node, public in functions(path)
        if public and raises(node) and "Raises:" not in (ast.get_docstring(node) or "")
    ]
    assert silent == [], "without `Raises:` in the docstring"


# ---- tests and rulings


def asserts(node: ast.AST) -> bool:
    """Whether a node checks anything: an assert, pytest.raises, or a function named assert_… or check_…."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name in ("raises", "warns") or name.startswith(("assert_", "check_"))
    return isinstance(node, ast.Assert)


def test_every_test_asserts() -> None:
    tests = [(f"{file_name(path)}::{name}", node) for path in TESTS for name, node, _ in functions(path)]
    tests = [(name, node) for name, node in tests if node.name.startswith("test_")]
    assert [name for name, node in tests if not any(map(asserts, ast.walk(node)))] == []


def rulings() -> dict[str, str]:
    """Id and state of every ruling."""
    lines = (ROOT / "tests/interface/rules.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(maxsplit=2) for line in lines if line and not line.startswith("#")]
    return {id_: state for id_, state, _ in rows}


@cache
def marked_rulings(path: Path) -> set[str]:
    """Ids that the tests of a file carry as pytest.mark.rule."""
    marks = re.findall(r"\bmark\.rule\(([^()]+)\)", path.read_text(encoding="utf-8"))
    return {id_ for mark in marks for id_ in re.findall(r'"([^"]+)"', mark)}


def test_marked_rulings_exist() -> None:
    unknown = {file_name(path): marked_rulings(path) - rulings().keys() for path in TESTS}
    assert {name: ids for name, ids in unknown.items() if ids} == {}


def test_rulings_that_are_done_have_a_test() -> None:
    done = {id_ for id_, state in rulings().items() if state == "done"}
    assert set(rulings().values()) <= {"done", "later"}
    assert done - set().union(*map(marked_rulings, TESTS)) == set()


# ---- the repository


def requirements() -> list[Requirement]:
    project, groups = PYPROJECT["project"], PYPROJECT["dependency-groups"]
    many = [project["dependencies"], *project["optional-dependencies"].values(), *groups.values()]
    asked = [Requirement(text) for texts in many for text in texts]
    return [one for one in asked if one.name != project["name"]]  # the extra that names the others


def test_lock_satisfies_pyproject() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)
    versions: dict[str, list[str]] = {}
    for name, version in pins:
        versions.setdefault(canonicalize_name(name), []).append(version)
    unmet = [
        f"{asked}: {locked or 'missing'}"
        for asked in requirements()
        if not (locked := versions.get(canonicalize_name(asked.name))) or not all(v in asked.specifier for v in locked)
    ]
    assert unmet == [], "`make lock` brings requirements.lock up to date"


def test_the_same_pythons_are_tried_everywhere() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    package = (ROOT / ".ci/try_package.py").read_text(encoding="utf-8")
    tried = re.findall(r'"(3\.\d+)"', re.search(r"^VERSIONS = .*", package, re.MULTILINE)[0])
    first = re.search(r"python: \[(.*)]", workflow)[1]
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"]))
    assert re.findall(r'"(.*?)"', first) == tried
    assert claimed == tried[: len(claimed)], "a classifier says what somebody has seen to work"


def test_commands_named_in_the_readme_exist() -> None:
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(
        r"^\s*(?:\$ )?make ([a-z]+)|`make ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M
    )
    assert {first or second for first, second in named} <= set(targets)


def rows_of(part: str) -> list[list[str]]:
    """The cells of the tables in a part of CONTRIBUTING.md, without their headings."""
    guide = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = guide.split(f"<!-- {part} -->")[1].split(f"<!-- end of {part} -->")[0].strip().split("\n\n")
    lines = [line for block in blocks if block.startswith("|") for line in block.splitlines()[2:]]
    return [line.strip("|").split("|") for line in lines]


def test_map_in_contributing_has_all_rooms() -> None:
    named = [name for names, _ in rows_of("rooms") for name in re.findall(r"`([^`]+)`", names)]
    assert named == ROOMS, "the rooms of pyproject.toml and those of .github/CONTRIBUTING.md"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "decisions.md"])
def test_files_named_on_pages_for_contributors_exist(page: str) -> None:
    text = (ROOT / ".github" / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|md|txt|toml))`", text)
    assert named
    assert [name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()] == []


def test_notebooks_are_committed_as_they_ran() -> None:
    faults = []
    for path in NOTEBOOKS:
        cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
        failed = [
            cell["execution_count"]
            for cell in cells
            if "NBVAL_RAISES_EXCEPTION" not in "".join(cell["source"])
            and any(output["output_type"] == "error" for output in cell["outputs"])
        ]
        shown = [cell for cell in cells if "remove-cell" not in cell["metadata"].get("tags", [])]
        if len(shown) > MOST_CELLS or failed or not all(cell["execution_count"] for cell in cells):
            faults.append((path.name, len(shown), failed))
    assert NOTEBOOKS
    assert faults == [], f"at most {MOST_CELLS} code cells that are shown, each saved with its output, and none failed"


@pytest.mark.needs("git")
def test_repository_holds_no_leftovers() -> None:
    git = subprocess.run(["git", "ls-files"], cwd=ROOT, check=False, capture_output=True, text=True)
    if git.returncode:
        pytest.skip(f"no git checkout: {git.stderr}")
    files = [ROOT / name for name in git.stdout.splitlines() if (ROOT / name).is_file()]
    leftovers = []
    for path in files:
        # Pictures in notebooks are long runs of letters that may spell anything.
        text = re.sub(r"[\w+/=]{200,}", "", path.read_bytes().decode("utf-8", "ignore"))
        folders = "root|work" if path.is_relative_to(ROOT / "tests") else "root|work|tmp"
        found = re.findall(rf"(?<![\w.])/(?:{folders})/|\b(?:TO[D]O|FIX[M]E)\b", text)
        leftovers += [f"{file_name(path)}: {word}" for word in sorted(set(found))]
    assert leftovers == []


def repeated_for_good(pattern: Any) -> Iterator[Any]:
    """Yield what possessive quantifiers, which never backtrack, repeat in a parsed pattern."""
    if isinstance(pattern, patterns.SubPattern | list | tuple):
        if str(pattern[:1]) == "(POSSESSIVE_REPEAT,)":
            yield pattern[1][2]
        for one in pattern:
            yield from repeated_for_good(one)


def test_a_group_that_is_repeated_without_backtracking_is_atomic():
    """Until 3.11.4, Python matched `(?:ab?c)*+` with "a": a repetition that failed in its middle had moved on."""
    single = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "ATOMIC_GROUP"}
    wrong = []
    for path in SOURCES:
        if not re.search(r"re\.compile\((?s:.*)[*+?}]\+", path.read_text(encoding="utf-8")):
            continue
        for name, value in vars(import_module(f"qrkit.{module_name(path)}")).items():
            for one in value.values() if isinstance(value, dict) else [value]:
                if isinstance(one, re.Pattern) and isinstance(one.pattern, str):
                    repeated = repeated_for_good(patterns.parse(one.pattern, one.flags))
                    wrong += [(file_name(path), name) for body in repeated if str(body[0][0]) not in single or body[1:]]
    assert wrong == []
