"""The reference as Markdown for Sphinx, a page for each public module.

pages.toml says which modules and names are public, and pdoc reads them. Added to pdoc here: fields have the sentence
that their class or their type says of them, with their bounds; signatures stand as they are written; what a class has
from one that is not public is shown as its own; names of public things are links wherever they stand.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
import types
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pdoc.doc
import pdoc.docstrings
from pdoc import doc_ast
from pydantic import BaseModel

from qrkit.design.design import Design
from qrkit.model import allowed, meaning

__all__ = ["pages"]

PAGES = Path(__file__).with_name("pages.toml")

RANK = {types.FunctionType: 0, type: 1}
"""Where nothing else is said, functions stand before classes, and constants behind them."""

ATTRIBUTES = re.compile(r"^Attributes:\n((?: +.*\n|\n)+)", re.MULTILINE)
ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)
EXAMPLE = re.compile(r"^(>>> .*(?:\n(?!\s*$).+)*)", re.MULTILINE)
FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
LONGEST_VALUE = 200
"""Characters of a value that is shown; what a longer one is for says its text."""
CODE = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)(\(\))?`(?!`)")

Chapter = dict[str, Any]
Doc = pdoc.doc.Doc[Any]


class Written:
    """An annotation as it is written: pdoc shows what `repr` gives."""

    def __init__(self, text: object) -> None:
        self.text = re.sub(r"\bUnpack\[(\w+)]", r"\1", str(text)).replace("pd.", "")

    def __repr__(self) -> str:
        return self.text


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path, without its suffix, and the Markdown of each page; the first leads to all others."""
    pdoc.docstrings.GOOGLE_LIST_SECTIONS.append("Warns")
    chapters, modules = load()
    known = places(modules)
    yield "reference/index", overview(chapters)
    for chapter in chapters:
        for name, page in chapter["pages"].items():
            yield f"reference/{name}", module_page(modules[name], page["asks"], known)


def overview(chapters: list[Chapter]) -> str:
    """Return the page that says which module answers which question."""
    parts = [
        "# Reference",
        "Everything public is listed here, with its arguments, units, bounds and errors. Import what `qrkit` has from "
        "`qrkit`, and everything else from the module it is listed under.",
    ]
    for chapter in chapters:
        names = "\n".join(f"{name} <{name}>" for name in chapter["pages"])
        parts.append(f"## {chapter['title']}")
        parts.append("\n".join(f"- [{page['asks']}]({name}.md) `{name}`" for name, page in chapter["pages"].items()))
        parts.append(f"```{{toctree}}\n:hidden:\n:caption: {chapter['title']}\n\n{names}\n```")
    return "\n\n".join(parts) + "\n"


def module_page(module: pdoc.doc.Module, asks: str, known: dict[str, Doc]) -> str:
    """Return the page of a module."""
    parts = [f"# {module.modulename}", f"*{asks}*", f"```{{py:module}} {module.modulename}\n```"]
    parts.append(text_of(module.docstring, module, known))
    parts += [shown_once(one, module, known) for one in module.members.values() if one.kind != "module"]
    return "\n\n".join(part for part in parts if part) + "\n"


def shown_once(member: Doc, module: pdoc.doc.Module, known: dict[str, Doc]) -> str:
    """Return the entry of a name, or where an earlier page has it."""
    first = next(one for one in known.values() if one.obj is member.obj and one.qualname == member.qualname)
    if isinstance(member, pdoc.doc.Variable) or first.modulename == module.modulename:
        return entry(member, module, known)
    return f"{{py:obj}}`{member.name} <{first.fullname}>` is on the page of `{first.modulename}`."


def entry(member: Doc, module: pdoc.doc.Module, known: dict[str, Doc], fence: int = 8) -> str:
    """Return a directive of Sphinx's Python domain for a name, with what belongs to it inside."""
    name, options, inside = member.qualname, [], [text_of(member.docstring, module, known)]
    if isinstance(member, pdoc.doc.Function):
        inner = "." in member.qualname
        kind = "method" if inner else "function"
        options = [":classmethod:"] * member.is_classmethod + [":staticmethod:"] * member.is_staticmethod
        name += in_one_line(member.signature)
    elif isinstance(member, pdoc.doc.Class):
        kind = "exception" if issubclass(member.obj, Exception) else "class"
        name += in_one_line(member.constructor or "")
        inside += [inherited(place, names) for place, names in member.inherited_members.items()]
        inside += [entry(one, module, known, fence - 1) for one in member.own_members]
    else:
        kind = "attribute" if "." in member.qualname else "data"
        if annotation := member.annotation_str.removeprefix(":").strip():
            options.append(f":type: {quoted(annotation)}")
        if (value := member.default_value_str) and len(value) < LONGEST_VALUE:
            options.append(f":value: {quoted(value)}")
        if bounds := getattr(member, "bounds", ""):
            inside.append(f"Allowed: {bounds}.")
    ticks, body = "`" * fence, "\n\n".join(part for part in inside if part)
    return "\n".join([f"{ticks}{{py:{kind}}} {name}", *options, "", body, ticks])


def in_one_line(signature: object) -> str:
    """Return a signature without line breaks."""
    return re.sub(r"(?<=\() | (?=\))", "", re.sub(r"\s*\n\s*", " ", str(signature))).replace(",)", ")")


def quoted(value: str) -> str:
    """Return the value of an option as YAML reads it back."""
    return "'" + " ".join(value.split()).replace("'", "''") + "'"


def inherited(place: tuple[str, str], members: list[Doc]) -> str:
    """Say what a class has of another public one."""
    names = ", ".join(f"{{py:obj}}`{one.name} <{'.'.join(one.taken_from)}>`" for one in members)
    return f"From {{py:obj}}`{place[1]} <{'.'.join(place)}>`: {names}."


def text_of(docstring: str, module: pdoc.doc.Module, known: dict[str, Doc]) -> str:
    """Return a docstring as Markdown: headings in bold, examples as code, names of public things as links."""
    text = pdoc.docstrings.convert(docstring, "google", None)
    parts = []
    for part in FENCE.split(EXAMPLE.sub(r"```pycon\n\1\n```", HEADING.sub(r"**\1**", text))):
        parts.append(part if part.startswith("```") else CODE.sub(lambda found: linked(found, module, known), part))
    return "".join(parts).strip()


def linked(found: re.Match[str], module: pdoc.doc.Module, known: dict[str, Doc]) -> str:
    """Return a name in code, as a link if it is that of a public thing."""
    name = found[1]
    one = known.get(f"{module.modulename}.{name}") or known.get(name)
    is_plain_word = name.islower() and "." not in name
    if one is None or (is_plain_word and one.modulename != module.modulename):
        return found[0]
    return f"{{py:obj}}`{name}{found[2] or ''} <{one.fullname}>`"


def load() -> tuple[list[Chapter], dict[str, pdoc.doc.Module]]:
    """The chapters, and the modules of their pages with nothing but what is public, in their order."""
    chapters: list[Chapter] = tomllib.loads(PAGES.read_text(encoding="utf-8"))["chapters"]
    pages = {name: page for chapter in chapters for name, page in chapter["pages"].items()}
    inspect.getmembers(Design)  # pdoc does not ask a class for its members, so those of other rooms are loaded here
    modules = {name: narrowed(import_module(name), page) for name, page in pages.items()}
    members = [(module, member) for module in modules.values() for member in module.members.values()]
    public = {member.obj: member for _, member in reversed(members) if isinstance(member, pdoc.doc.Class)}
    for module, member in members:
        member.docstring = marked_down(member.docstring)
        if isinstance(member, pdoc.doc.Function):
            as_written(member)
        elif isinstance(member, pdoc.doc.Variable):
            member.docstring = member.docstring or borrowed(module.obj, member.name)
            member.annotation_str, member.default_value_str = "", shown(member.default_value)
        elif isinstance(member, pdoc.doc.Class):
            complete(member)
            share_out(member, public)
    return chapters, modules


def narrowed(module: types.ModuleType, page: dict[str, Any]) -> pdoc.doc.Module:
    """A module with what its page has; of a class whose members are named, with those alone."""
    listed = [*page.get("names", module.__all__), *page.get("members", [])]
    names = [one for one in listed if one not in page.get("without", [])]
    module.__all__ = list(dict.fromkeys(one.partition(".")[0] for one in names))
    vars(module).update({one: getattr(module, one) for one in module.__all__})  # what is loaded late, too
    if "names" not in page:
        module.__all__.sort(key=lambda one: RANK.get(type(getattr(module, one)), len(RANK)))
    found = pdoc.doc.Module(module)
    for cls in found.classes:
        some = [one.partition(".")[2] for one in names if one.startswith(f"{cls.name}.")]
        cls.members = {name: one for name, one in cls.members.items() if name in some or not some}
    return found


def marked_down(docstring: str) -> str:
    """A docstring whose stars are stars, and whose columns stand out."""
    stars = re.sub(r"^( +)(\*+)(?=\w+:)", lambda match: match[1] + match[2].replace("*", "\\*"), docstring, flags=re.M)
    return re.sub(r"^Columns:", "**Columns:**", stars, flags=re.M)


def borrowed(module: types.ModuleType, name: str) -> str:
    """What is said of a constant where a module has it from."""
    imports = [node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.ImportFrom)]
    origin = next((node.module for node in imports if name in [one.name for one in node.names]), None)
    return doc_ast.walk_tree(import_module(origin)).var_docstrings.get(name, "") if origin else ""


def shown(value: object) -> str:
    """The value of a constant; of a table of more than texts its names alone."""
    if isinstance(value, dict) and not all(isinstance(one, str) for one in value.values()):
        return ", ".join(map(repr, value))
    return re.sub(r"\b(?:typing|qrkit|collections)\.(?:\w+\.)*(?=[A-Z])", "", repr(value))


def share_out(cls: pdoc.doc.Class, public: dict[type, pdoc.doc.Class]) -> None:
    """Say what of a class is shown in full, and what where its base is shown, one of the `public` classes."""
    cls.own_members, cls.inherited_members, cls.constructor = [], {}, None
    constructor = cls.members.get("__init__")
    if isinstance(constructor, pdoc.doc.Function) and re.search("^Args:$", cls.docstring, re.MULTILINE):
        as_written(constructor)
        cls.constructor = constructor.signature
    for member in cls.members.values():
        base = defined_in(cls.obj, member.name)
        if not base.__module__.startswith("qrkit") or (member.name.startswith("_") and member.name != "__call__"):
            continue
        if isinstance(member, pdoc.doc.Variable) and not (member.docstring or member.annotation_str):
            continue  # what another library sets on each instance
        if isinstance(member, pdoc.doc.Function) and not member.obj.__module__.startswith("qrkit"):
            continue
        member.docstring = marked_down(member.docstring)
        if isinstance(member, pdoc.doc.Function):
            as_written(member)
        if base is cls.obj or base not in public:
            cls.own_members.append(member)
        elif member.name in public[base].members:
            place = (public[base].modulename, public[base].qualname)
            member.taken_from = (place[0], f"{place[1]}.{member.name}")
            cls.inherited_members.setdefault(place, []).append(member)


def defined_in(cls: type, name: str) -> type:
    """The class that a member comes from."""
    return next((one for one in cls.__mro__ if name in vars(one) or name in vars(one).get("__annotations__", {})), cls)


def as_written(function: pdoc.doc.Function) -> None:
    """Take the annotations of a signature from its source."""
    found = inspect.signature(function.obj)
    parameters = [one for one in found.parameters.values() if one.name not in ("self", "cls")]
    if "." in function.qualname and "." not in function.obj.__qualname__:  # a function that a class has as a method
        del parameters[0]
    function.signature = pdoc.doc._PrettySignature(
        [one if one.annotation is one.empty else one.replace(annotation=Written(one.annotation)) for one in parameters],
        return_annotation=found.empty if function.name == "__init__" else Written(found.return_annotation),
    )
    function.signature_without_self = function.signature


def complete(cls: pdoc.doc.Class) -> None:
    """Give the fields of a class their sentences, types, defaults and bounds."""
    section = ATTRIBUTES.search(f"{cls.docstring}\n")
    told = dict(ATTRIBUTE.findall(section[1])) if section else {}
    if issubclass(cls.obj, BaseModel):
        told = {name: meaning(one) for name, one in cls.obj.model_fields.items()}
    cls.docstring = ATTRIBUTES.sub("", f"{cls.docstring}\n").rstrip()
    for name in told:
        origin = (cls.modulename, f"{cls.qualname}.{name}")
        # Fields that are set when one is made, and those whose default is a function.
        if not isinstance(cls.members.get(name), pdoc.doc.Variable):
            cls.members[name] = pdoc.doc.Variable(*origin, taken_from=origin, docstring="")
    for name, member in cls.members.items():
        is_ours = defined_in(cls.obj, name).__module__.startswith("qrkit")
        if isinstance(member, pdoc.doc.Variable) and member.is_enum_member:
            member.default_value_str = repr(member.default_value.value)
        elif is_ours and isinstance(member, pdoc.doc.Variable):
            member.docstring = inspect.cleandoc(told.get(name, member.docstring))
            member.annotation_str, member.default_value_str, member.bounds = field(cls.obj, name)
    order = [*told, *(name for name in cls.members if name not in told)]
    cls.members = {name: cls.members[name] for name in order}


def field(cls: type, name: str) -> tuple[str, str, str]:
    """Type, default and bounds of a field or a property of a class, as a reader wants them."""
    if issubclass(cls, BaseModel) and name in cls.model_fields:
        known = cls.model_fields[name]
        default = "" if known.is_required() else repr(known.get_default(call_default_factory=True))
        return f": {plain(known.annotation)}", default, allowed(known)
    found = inspect.getattr_static(cls, name, None)
    getter = found.fget if isinstance(found, property) else found.func if isinstance(found, cached_property) else None
    told = getter.__annotations__ if getter else vars(defined_in(cls, name)).get("__annotations__", {})
    told = getattr(cls.__init__, "__annotations__", {}) | told  # an argument may be kept under its name
    written = told.get("return" if getter else name, "")
    defaults = getattr(cls, "_field_defaults", {})
    if is_dataclass(cls):
        defaults = {one.name: one.default for one in fields(cls) if one.default is not MISSING}
    elif isinstance(found, str | int):
        defaults = {name: found}
    return f": {Written(written)}" if written else "", repr(defaults[name]) if name in defaults else "", ""


def plain(kind: Any) -> str:
    """A type without what it is judged by."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return plain(arguments[0])
    if origin is Literal:
        return "str"
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(plain, arguments)))
    if origin:
        return f"{origin.__name__}[{', '.join(map(plain, arguments))}]"
    return {type(None): "None", ...: "..."}.get(kind) or kind.__name__


def places(modules: dict[str, pdoc.doc.Module]) -> dict[str, Doc]:
    """Whatever is public, by each of the names under which texts may speak of it; the first page wins."""
    found: dict[str, Doc] = {}
    for module in modules.values():
        for member in module.members.values():
            inner = member.own_members if isinstance(member, pdoc.doc.Class) else []
            for one in (member, *inner):
                for name in (one.qualname, one.fullname, ".".join(one.taken_from)):
                    if name.startswith("qrkit.") or name == one.qualname:
                        found.setdefault(name, one)
    return found
