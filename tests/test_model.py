import inspect
import pydoc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Color, Design, Layer, Marker, generate, generate_many, open_portfolio
from qrkit.design.limits import Latitude, ModuleSize, Text
from qrkit.errors import InvalidParameter, MissingParameter, UnknownParameter
from qrkit.model import Model, plain
from qrkit.pictures.generate_request import read_post


class Place(Model):
    latitude: Latitude | None = None


class Poster(Model):
    """A record with what `Design` has not: a name of two words and a record inside."""

    poster_name: Text
    module_size: ModuleSize = 8
    place: Place | None = None


color = st.builds(Color, *[st.integers(0, 255)] * 4)
designs = st.builds(
    Design,
    content=st.text("0123456789", min_size=1, max_size=9),
    version=st.none() | st.integers(1, 40),
    size=st.integers(1, 20),
    padding=st.integers(0, 20),
    em=st.sampled_from(["byte", "numeric", "alphanumeric", "auto"]),
    ec=st.sampled_from("LMQH"),
    foreground=color,
    background=color,
)
some = settings(max_examples=30)


def test_all_that_is_wrong_is_reported_at_once():
    with pytest.raises(InvalidParameter) as caught:
        Design(content="", ec="X", version=41, sizee=3, size="8", padding=21, foreground="rde")
    found = {problem.name: problem.code for problem in caught.value.problems}
    assert found == {
        "content": "out-of-range",
        "ec": "bad-value",
        "version": "out-of-range",
        "sizee": "unknown-parameter",
        "size": "wrong-type",
        "padding": "out-of-range",
        "foreground": "bad-colour",
    }
    assert str(caught.value).count("; ") >= 6
    assert (caught.value.name, caught.value.value, caught.value.code) == ("content", "", "out-of-range")


@pytest.mark.rule("H2")
def test_help_shows_the_fields_of_a_record_with_plain_types():
    """Open: what a notebook shows of `Layer(`. Names, types and defaults, in the words of Python."""
    shown = str(inspect.signature(Layer))
    assert shown.startswith(
        "(content: str, *, name: str = '', x: float, y: float, width: float, height: float, opacity"
    )
    assert "Validator" not in shown
    assert str(inspect.signature(Marker)).startswith("(pattern: Literal['default', 'eye-1', ")
    assert inspect.signature(Design).parameters.keys() == Design.model_fields.keys() | Design.other_names.keys()


def test_help_tells_the_label_the_help_text_and_the_bounds_of_each_field():
    text = pydoc.plain(pydoc.render_doc(Design))
    assert "padding (0..20 modules): Quiet zone. Width of the light border in modules." in text
    assert "ec (L, M, Q, H): Error correction level. Higher levels" in text
    assert text.index("Attributes:") < text.index("Raises:") < text.index("Example:")


def test_an_unknown_name_in_python_gets_the_nearest():
    """Open: what Python does with an unknown argument. It is a slip of the keyboard, so it fails with a proposal."""
    with pytest.raises(UnknownParameter, match=r"sizee=3: is not a parameter; did you mean 'size'\?") as caught:
        Design(content="x", sizee=3)
    assert (caught.value.name, caught.value.value, caught.value.code) == ("sizee", 3, "unknown-parameter")


def test_an_unknown_name_near_to_none_gets_the_list():
    with pytest.raises(
        UnknownParameter, match="allowed: content, version, size, width, height, padding, em, ec, foreg"
    ):
        Design(content="x", qqq=3)


def test_a_missing_field_is_named():
    with pytest.raises(MissingParameter, match=r"^content: is required$") as caught:
        Design()
    assert (caught.value.name, caught.value.code) == ("content", "missing-parameter")


def test_a_field_of_an_inner_record_has_its_path():
    with pytest.raises(InvalidParameter) as caught:
        Poster(poster_name="x", place={"latitude": 91})
    assert (caught.value.name, caught.value.code) == ("place.latitude", "out-of-range")
    assert "must be in -90..90 degrees north" in str(caught.value)


def test_python_and_json_names_are_both_read_and_json_writes_its_own():
    poster = Poster(poster_name="Door", module_size=3, place=Place(latitude=1.5))
    assert Poster(posterName="Door", moduleSize=3, place={"latitude": 1.5}) == poster
    assert poster.to_json() == '{"posterName":"Door","moduleSize":3,"place":{"latitude":1.5}}'


def test_a_wrong_field_is_named_as_the_caller_wrote_it():
    for name in ("module_size", "moduleSize"):
        with pytest.raises(InvalidParameter) as caught:
            Poster(poster_name="x", **{name: 99})
        assert caught.value.name in (name, "moduleSize")


ALIASES = [("error_correction", "ec", "H"), ("mode", "em", "alphanumeric"), ("quiet_zone", "padding", 2)]


@pytest.mark.parametrize(("other", "field", "value"), ALIASES)
def test_a_field_of_a_design_has_its_other_name_as_argument_and_attribute(other, field, value):
    design = Design(content="HI", **{other: value})
    assert design == Design(content="HI", **{field: value})
    assert getattr(design, other) == getattr(design, field) == value
    plain = Design(content="HI", ec="L", em="byte", padding=9)
    for changed in (
        plain.replace(**{other: value}),
        plain.resized(**{other: value}),
        generate(plain, **{other: value}).design,
        generate_many(["HI"], design={field: getattr(plain, field)}, **{other: value}).images[0].design,
        generate_many(["HI"], design={other: value}).images[0].design,
    ):
        assert getattr(changed, field) == value
    assert f'"{field}":' in design.to_json()
    assert other not in design.to_json()
    with pytest.raises(InvalidParameter, match=f"{other}"):
        Design.from_json(f'{{"content":"HI","{other}":"{value}"}}')


@pytest.mark.parametrize(("other", "field", "value"), ALIASES)
def test_both_names_of_a_field_are_refused_together(other, field, value):
    for take in (Design(content="HI").replace, lambda **fields: Design(content="HI", **fields)):
        with pytest.raises(
            InvalidParameter, match=rf"^{other}=.* means the same as {field}=.*; leave out one"
        ) as caught:
            take(**{field: value, other: value})
        assert caught.value.code == "duplicate-parameter"


def test_errors_say_the_name_that_was_written():
    with pytest.raises(InvalidParameter, match=r"^error_correction='X': must be one of"):
        Design(content="HI", error_correction="X")
    with pytest.raises(UnknownParameter, match="did you mean 'quiet_zone'"):
        Design(content="HI", quietzone=2)


def test_templates_and_tracked_codes_take_the_other_names():
    with open_portfolio(":memory:") as shop:
        shop.templates.save("brand", {"ec": "H"})
        assert shop.templates.design("brand", "HI", error_correction="Q").ec == "Q"
        code = shop.insert_qrcode("https://example.com", properties={"ec": "L"})
        assert shop.image(code, error_correction="H", quiet_zone=1).design.given().keys() >= {"ec", "padding"}


@pytest.mark.parametrize(("other", "field", "value"), ALIASES)
def test_the_interface_has_one_name_for_each_field(other, field, value):
    assert read_post({"content": "HI", other: value}, lambda name: {}).unknown == [other]


def test_absent_values_are_left_out_of_json():
    assert Poster(poster_name="x").to_json() == '{"posterName":"x","moduleSize":8}'
    assert "version" not in Design(content="x").to_json()


@given(designs)
@some
def test_a_design_is_read_back_from_its_json(design):
    assert Design.from_json(design.to_json()) == design
    assert Design.from_json(design.to_json(indent=2).encode()) == design
    assert Design.from_json(design.to_json()).to_json() == design.to_json()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', b"\xff", '{"content": "x", "size": "8"}', "NaN"])
def test_json_that_is_no_design_is_an_invalid_parameter(text):
    with pytest.raises(InvalidParameter):
        Design.from_json(text)


def test_from_fields_makes_the_same_record_as_keywords_and_reports_the_same_problems():
    given = {"poster_name": "x", "place": {"latitude": 1}}
    assert Poster.from_fields(given) == Poster(**given)
    wrong = {"poster_name": 1, "place": {"latitude": 91}, "size": 3}
    with pytest.raises(InvalidParameter) as by_keywords:
        Poster(**wrong)
    with pytest.raises(InvalidParameter) as by_fields:
        Poster.from_fields(wrong)
    assert by_fields.value.problems == by_keywords.value.problems


@given(designs, st.integers(1, 20))
@some
def test_replace_changes_what_it_names_and_nothing_else(design, size):
    changed = design.replace(size=size)
    assert changed.size == size
    assert changed.replace(size=design.size) == design
    assert design.replace() == design


def test_replace_judges_anew():
    design = Design(content="12a")
    with pytest.raises(InvalidParameter, match=r"size=0: must be in 1\.\.20"):
        design.replace(size=0)
    with pytest.raises(InvalidParameter, match="character 3 is 'a'"):
        design.replace(em="numeric")
    with pytest.raises(UnknownParameter, match="did you mean 'size'"):
        design.replace(sizee=1)


def test_a_design_cannot_be_changed():
    design = Design(content="x")
    with pytest.raises(ValueError, match="frozen"):
        design.size = 3
    assert design == Design(content="x")


def test_equal_designs_are_equal_and_hash_alike():
    plain = Design(content="x")
    spelled = Design(content="x", size=8, version=0, ec="m", foreground="black", background="#FFFFFF")
    assert plain == spelled
    assert len({plain, spelled, Design(content="y")}) == 2


def test_an_unknown_name_inside_a_record_proposes_the_nearest_of_that_record():
    with pytest.raises(UnknownParameter, match=r"place\.lattitude=1: .*did you mean 'latitude'"):
        Poster(poster_name="x", place={"lattitude": 1})


# Fields that are known ------------------------------------------------------------------------------------------------


class Wall(Model):
    """A record with a list of records, and one that may be a record or a number."""

    posters: tuple[Poster, ...] = ()
    best_poster: Poster | int | None = None


@pytest.mark.rule("H2")
def test_unknown_fields_are_taken_out_and_named_by_their_paths():
    """Open: unknown JSON fields. They are left out, wherever they stand, and all of them are named."""
    place = {"latitude": 1, "altitude": 2}
    poster = {"posterName": "Door", "poster_name": "x", "place": place, "size": {"a": 1}}
    kept, unknown = Wall.known(
        {"bestPoster": poster, "posters": [poster, {}, {"x": 1}], "": 0, "a.b": 1, "best_poster": 5}
    )
    clean = {"posterName": "Door", "place": {"latitude": 1}}
    assert kept == {"bestPoster": clean, "posters": [clean, {}, {}]}
    strange = ("poster_name", "place.altitude", "size")
    assert unknown == [
        *(f"bestPoster.{name}" for name in strange), *(f"posters.0.{name}" for name in strange), "posters.2.x",
        "", "a.b", "best_poster",
    ]  # fmt: skip
    assert Wall(bestPoster=clean, posters=[clean]) == Wall(**Wall.known({"bestPoster": poster, "posters": [poster]})[0])


@pytest.mark.rule("H5")
@pytest.mark.parametrize("absent", [None, ""])
def test_nothing_and_empty_text_are_absent_at_every_depth(absent):
    """Open: null and "". As if the field were not there; 0, false and empty lists are values."""
    assert Wall.known({"bestPoster": absent, "posters": [{"posterName": absent, "place": {"latitude": absent}}]}) == (
        {"posters": [{"place": {}}]},
        [],
    )
    assert Wall.known({"bestPoster": 0, "posters": []}) == ({"bestPoster": 0, "posters": []}, [])
    assert Wall.known({"x": absent}) == ({}, ["x"])


@pytest.mark.parametrize("value", [5, "text", [], [5], [[[]]], [None], [[{"x": 1}]], {"a": 1}, True])
def test_what_is_neither_record_nor_list_of_records_is_left_for_the_record_to_judge(value):
    kept, unknown = Wall.known({"posters": value, "bestPoster": value})
    if value != {"a": 1}:
        assert kept == {"posters": value, "bestPoster": value}
        assert unknown == []
    try:
        Wall(**kept)
    except InvalidParameter as error:
        assert {one.name.partition(".")[0] for one in error.problems} <= {"posters", "bestPoster"}


def test_known_changes_nothing_of_what_it_is_given():
    given = {"bestPoster": {"posterName": "", "x": [1]}, "posters": [{"x": 1}]}
    text = str(given)
    Wall.known(given)
    assert str(given) == text


def test_lists_nested_deeper_than_there_is_recursion_are_left_alone():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    assert Wall.known({"posters": deep})[0]["posters"] is not None


def test_of_very_many_problems_the_first_are_told():
    with pytest.raises(InvalidParameter) as caught:
        Wall(posters=[{}] * 5_000)
    assert [one.name for one in caught.value.problems] == [f"posters.{number}.posterName" for number in range(100)]


@pytest.mark.parametrize("name", ["self", "cls", "first", "changes", "values"])
def test_any_text_may_be_an_unknown_name(name):
    for make in (Design(content="x").replace, Design):
        with pytest.raises(InvalidParameter) as caught:
            make(**{"content": "x", name: 1})
        assert (caught.value.name, caught.value.code) == (name, "unknown-parameter")


def test_records_in_lists_and_numbers_of_numpy_become_plain_json():
    design = Design(content="x", size=8, foreground="red")
    told = plain({"design": design, "more": (np.float64(7), np.float32(0.5), None, Color.parse("red"))}, only_set=True)
    red = str(Color.parse("red"))
    assert told == {"design": {"content": "x", "size": 8, "foreground": red}, "more": [7, 0.5, None, red]}
    assert set(plain(design)) > {"content", "padding", "ec"}
