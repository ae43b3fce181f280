"""Says the sentences of reports, which are in `sentences.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from qrkit import languages
from qrkit.languages import Sentence


def say(key: str, count: int | None = None, /, **values: str) -> str:
    """Return a sentence with its values in the language of the report; see `qrkit.languages.say`."""
    return languages.say(sentences_of("sentences")[key], count, **values)


@cache
def sentences_of(part: Literal["sentences", "glossary", "attributes", "script"]) -> Mapping[str, Sentence]:
    """Return the English sentences of a part of the file by their keys."""
    import tomllib  # only for a report that is made

    text = files("qrkit.report").joinpath("sentences.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)[part].items()
    return {key: form if isinstance(form, str) else (form["one"], form["other"]) for key, form in found}
