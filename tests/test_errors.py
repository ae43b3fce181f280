import builtins
import inspect
import re

import pytest

from qrkit import errors
from qrkit.errors import InvalidParameter, MissingParameter, Problem, QrkitError, UnknownParameter, nearest

CLASSES = {name: one for name, one in vars(errors).items() if inspect.isclass(one) and issubclass(one, QrkitError)}

EXAMPLES = {
    "QrkitError": QrkitError("x"),
    "InvalidParameter": InvalidParameter(Problem("size", 99, "must be in 1..20", "out-of-range")),
    "MissingParameter": MissingParameter("content"),
    "UnknownParameter": UnknownParameter("sizee", 3, ["size"]),
    "ContentTooLong": errors.ContentTooLong("x", needed_bits=9, capacity_bits=8),
    "CannotRepair": errors.CannotRepair("x", levers=["ec"]),
    "UnreadableFile": errors.UnreadableFile("x", line=3),
    "BadRequest": errors.BadRequest("x"),
    "NoSymbol": errors.NoSymbol("x"),
    "NotAuthenticated": errors.NotAuthenticated("x", code="expired-key"),
    "NotAllowed": errors.NotAllowed("x"),
    "NotFound": errors.NotFound("campaign", "c0ffee"),
    "WrongMethod": errors.WrongMethod("PUT", ["GET", "POST"]),
    "TooManyRequests": errors.TooManyRequests("x", retry_after=60),
    "StoreBusy": errors.StoreBusy("x"),
    "StoreClosed": errors.StoreClosed("x"),
    "StoreDamaged": errors.StoreDamaged("x"),
    "StoreReadOnly": errors.StoreReadOnly("x"),
    "MissingProgram": errors.MissingProgram("x"),
    "CannotWrite": errors.CannotWrite("x"),
    "AssetError": errors.AssetError(Problem("layers.0.content", "x", "is not a picture", "bad-image")),
    "RemoteContentDisabled": errors.RemoteContentDisabled("x"),
    "BodyTooLarge": errors.BodyTooLarge("x"),
    "AddressTooLong": errors.AddressTooLong("x"),
    "HeaderTooLarge": errors.HeaderTooLarge("x"),
    "WrongMediaType": errors.WrongMediaType("x"),
    "Gone": errors.Gone("short URL", "door"),
    "LeadsNowhere": errors.LeadsNowhere("door", "it is switched off"),
    "NotReady": errors.NotReady("x"),
    "NotStored": errors.NotStored("x"),
    "RenderingFailed": errors.RenderingFailed("x"),
}


def drawn_tree() -> dict[str, tuple[str | None, str | None]]:
    """Class -> parent and built-in, as the docstring of the module draws them."""
    tree, above = {}, []
    for line in errors.__doc__.splitlines():
        if found := re.match(r" {4}([│├└─ ]*)([A-Z]\w+)(?: \((\w+)\))? ", line):
            depth = len(found[1]) // 4
            above[depth:] = [found[2]]
            tree[found[2]] = (above[depth - 1] if depth else None, found[3])
    return tree


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes():
    tree = drawn_tree()
    assert set(tree) == set(CLASSES)
    for name, (parent, builtin) in tree.items():
        bases = [base.__name__ for base in CLASSES[name].__bases__]
        assert bases == ([parent, builtin] if builtin else [parent] if parent else ["Exception"])
        assert builtin is None or issubclass(getattr(builtins, builtin), Exception)


def test_every_class_is_offered_by_name():
    assert set(CLASSES) <= set(errors.__all__)
    assert set(EXAMPLES) == set(CLASSES)


@pytest.mark.rule("H3")
@pytest.mark.parametrize("error", EXAMPLES.values(), ids=EXAMPLES)
def test_every_error_has_a_stable_word_and_a_message(error):
    """Open: how programs tell errors apart. By a lower-case word that stays, beside the text that may change."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", error.code)
    assert str(error)


def test_errors_carry_what_a_program_needs():
    assert (EXAMPLES["ContentTooLong"].needed_bits, EXAMPLES["ContentTooLong"].capacity_bits) == (9, 8)
    assert EXAMPLES["UnreadableFile"].line == 3
    assert EXAMPLES["NotAuthenticated"].code == "expired-key"
    assert (EXAMPLES["NotFound"].kind, EXAMPLES["NotFound"].id) == ("campaign", "c0ffee")
    assert str(EXAMPLES["NotFound"]) == "no campaign 'c0ffee'"
    assert EXAMPLES["WrongMethod"].allowed == ["GET", "POST"]
    assert EXAMPLES["TooManyRequests"].retry_after == 60


def test_an_invalid_parameter_speaks_for_all_its_problems():
    first, second = Problem("size", 99, "must be in 1..20", "out-of-range"), Problem("ec", "X", "must be one of L")
    error = InvalidParameter(first, second)
    assert str(error) == "size=99: must be in 1..20; ec='X': must be one of L"
    assert (error.name, error.value, error.rule, error.code) == ("size", 99, "must be in 1..20", "out-of-range")
    assert list(error.problems) == [first, second]


def test_a_long_value_is_cut_in_the_message_but_not_in_the_error():
    error = InvalidParameter(Problem("content", "x" * 5000, "is too long"))
    assert len(str(error)) < 100
    assert "..." in str(error)
    assert error.value == "x" * 5000


def test_the_nearest_names_are_proposed_else_a_short_list_else_their_number():
    assert nearest("SIZEE", ["size", "padding"]) == "did you mean 'size'?"
    assert nearest("q", ["size", "padding"]) == "allowed: size, padding"
    assert nearest("q", (f"name-{index}" for index in range(41))) == "41 names are allowed"


def test_problems_are_collected_over_several_steps():
    problems = []
    for name in ("a", "b"):
        with errors.collecting(problems):
            raise MissingParameter(name)
    with errors.collecting(problems), pytest.raises(errors.NoSymbol):
        raise errors.NoSymbol("not ours to keep")
    assert [problem.name for problem in problems] == ["a", "b"]


def test_a_notebook_shows_what_is_wrong_and_what_to_do_without_the_way_through_our_files():
    missing = errors.NotFound("campaign", "c0ffee").advising({"python": "campaigns() shows what there is."})
    assert missing._render_traceback_() == ["NotFound: no campaign 'c0ffee'", "campaigns() shows what there is."]
    assert errors.StoreBusy("shop is in use; close it")._render_traceback_() == [
        "StoreBusy: shop is in use",
        "close it",
    ]
    one = InvalidParameter(Problem("size", 99, "must be in 1..20"))
    assert one._render_traceback_() == ["InvalidParameter: size=99", "size must be in 1..20"]
    two = InvalidParameter(Problem("size", 99, "must be in 1..20"), Problem("ec", "X", "must be one of L, M, Q, H"))
    what, advice = two._render_traceback_()
    assert what == "InvalidParameter: 2 fields break a rule: size, ec"
    assert advice == "size=99: must be in 1..20; ec='X': must be one of L, M, Q, H"


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_error_shows_its_own_words_and_nothing_else(name):
    """What a class means in general is no advice: a snapshot is not "in use"."""
    what, *advice = EXAMPLES[name]._render_traceback_()
    assert what.startswith(f"{name}: ")
    assert len(what) > len(name) + 2
    words = re.sub(r"\W+", " ", str(EXAMPLES[name]))
    assert all(word in words for line in advice for word in re.findall(r"\w+", line))


def test_advice_is_in_the_words_of_the_door_it_leaves_through():
    """Rule 7 of how we write: HTTP never speaks of Python arguments, nor the command line of either."""
    error = errors.UnreadableFile("no column 'Content'").advising(
        {"python": "Pass columns={...}.", "command": "add --content-column NAME", "http": "rename a column"}
    )
    assert str(error) == "no column 'Content'"
    assert error.__notes__ == ["Pass columns={...}."]
    assert error.told("command") == "no column 'Content'; add --content-column NAME"
    assert error.told("http") == "no column 'Content'; rename a column"
    assert errors.StoreBusy("x").told("http") == errors.StoreBusy("x").told("command") == "x"


def test_a_bound_of_zero_is_a_bound():
    assert errors.check_whole("hours", 0, 0, 0) == 0
    with pytest.raises(InvalidParameter, match=r"hours=1: must be a whole number in 0\.\.0"):
        errors.check_whole("hours", 1, 0, 0)
