"""Build the reference, and the notebooks beside it, into a folder: `python .ci/reference/build.py build/reference`.

pages.toml says which modules and names are public, pdoc draws them. Added to pdoc here: fields have the sentence that
their class or their type says of them, with their bounds; signatures stand as they are written; what a class has from
one that is not public is shown as its own; names of public things are links wherever they stand. A warning of pdoc is
an error.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
import types
import warnings
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import guide
import pdoc.doc
import pdoc.docstrings
import pdoc.render
import pdoc.render_helpers
from jinja2 import pass_context
from markupsafe import Markup
from pdoc import doc_ast
from pdoc.render_helpers import relative_link
from pydantic import BaseModel

from qrkit.model import allowed, meaning

if TYPE_CHECKING:
    from jinja2.runtime import Context

HERE = Path(__file__).parent
PAGES = HERE / "pages.toml"

RANK = {types.FunctionType: 0, type: 1}
"""Where nothing else is said, functions stand before classes, and constants behind them."""

ATTRIBUTES = re.compile(r"^Attributes:\n((?: +.*\n|\n)+)", re.MULTILINE)
ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
MENTIONED = re.compile(r"(<code>|<strong>)([A-Za-z_][\w.]*)(?=(?:\(\))?</code>|:</strong>)")
IDENTIFIER = re.compile(r"(<[^>]*>)|\b[A-Za-z_][\w.]*")
"""A tag of HTML, which is left alone, or what may be a name."""

Chapter = dict[str, Any]
Doc = pdoc.doc.Doc[Any]


class Written:
    """An annotation as it is written: pdoc shows what `repr` gives."""

    def __init__(self, text: object) -> None:
        self.text = re.sub(r"\bUnpack\[(\w+)]", r"\1", str(text)).replace("pd.", "")

    def __repr__(self) -> str:
        return self.text


def load() -> tuple[list[Chapter], dict[str, pdoc.doc.Module]]:
    """The chapters, and the modules of their pages with nothing but what is public, in their order."""
    chapters: list[Chapter] = tomllib.loads(PAGES.read_text(encoding="utf-8"))["chapters"]
    pages = {name: page for chapter in chapters for name, page in chapter["pages"].items()}
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
    names = [one for one in page.get("names", module.__all__) if one not in page.get("without", [])]
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


@pass_context
def linkify(context: Context, code: str, namespace: str = "", shorten: bool = True) -> Markup:  # noqa: FBT001, FBT002 - as pdoc calls it
    """Make links of names of public things: in code of all, in a text of those that stand as code."""
    here, found = context["module"], context["places"]

    def linked(name: str) -> str:
        one = here.get(f"{namespace}.{name}") or here.get(name) or found.get(name) or context["all_modules"].get(name)
        is_plain_word = name.islower() and "." not in name
        if one is None or one.qualname == namespace or (is_plain_word and one.modulename != here.modulename):
            return name
        anchor = f"#{one.qualname}" if one.qualname else ""
        return f'<a href="{relative_link(here.modulename, one.modulename)}{anchor}">{name}</a>'

    if shorten:
        return Markup(IDENTIFIER.sub(lambda match: match[1] or linked(match[0]), code))
    return Markup(MENTIONED.sub(lambda match: match[1] + linked(match[2]), code))


def main(folder: Path) -> None:
    """Write all pages."""
    warnings.simplefilter("error")
    pdoc.docstrings.GOOGLE_LIST_SECTIONS.append("Warns")
    pdoc.render_helpers.markdown_extensions.pop("link-patterns")  # addresses in texts are examples
    chapters, modules = load()
    pdoc.render.configure(docformat="google", show_source=False, template_directory=HERE)
    pdoc.render.env.globals |= {"chapters": chapters, "places": places(modules)}
    pdoc.render.env.filters["linkify"] = linkify
    folder.mkdir(parents=True, exist_ok=True)
    for name, module in modules.items():
        file = folder / f"{name.replace('.', '/')}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pdoc.render.html_module(module, modules), encoding="utf-8")
    write_guide(folder)
    (folder / "index.html").write_text(pdoc.render.html_index(modules), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")


def write_guide(folder: Path) -> None:
    """Write the notebooks, and the page that tells what each of them is about."""
    page = pdoc.render.env.get_template("guide.html.jinja2").render(guide=guide.overview())
    (folder / "guide.html").write_text(page, encoding="utf-8")
    (folder / "notebooks").mkdir(exist_ok=True)
    for name, html in guide.pages():
        (folder / "notebooks" / f"{name}.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
