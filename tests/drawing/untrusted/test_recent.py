"""What was used last is kept, up to a size."""

from qrkit.drawing.untrusted.recent import Recent


def test_the_values_used_last_are_kept_but_not_too_many_or_too_large():
    kept = Recent(lambda _, value: len(value), 32)
    for number in range(40):
        kept.keep(number, "x")
        kept.get(0)
    assert [number for number in range(40) if kept.get(number)] == [0, *range(9, 40)]
    kept.keep("large", 32 * "x")
    assert kept.get(0) is None
    assert kept.get("large") is not None
    kept.keep("too large", 33 * "x")
    assert kept.get("too large") is None


def test_a_value_that_is_kept_again_counts_once():
    kept = Recent(lambda _, value: len(value), 3)
    for _ in range(5):
        kept.keep("one", "xx")
    kept.keep("other", "x")
    assert (kept.get("one"), kept.get("other")) == ("xx", "x")


def test_what_is_forgotten_makes_room():
    kept = Recent(lambda _, value: len(value), 2)
    kept.keep("one", "xx")
    kept.forget()
    kept.keep("other", "xx")
    assert (kept.get("one"), kept.get("other")) == (None, "xx")
