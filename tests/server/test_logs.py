"""The log of `qrkit serve`: it holds nothing up, it stays small, and each line is JSON."""

import json
import logging
import os
import threading
import warnings
from contextlib import contextmanager
from operator import lt

import pytest

from qrkit.server.operation.access_log import ACCESS, REQUEST_ID
from qrkit.server.operation.logs import MOST_WAITING, OPERATIONS, writing_log

log = logging.getLogger("qrkit")


@contextmanager
def written(level="info", *, is_read=True):
    """Write a log into a pipe; gives a list that has its lines afterwards."""
    reading, writing = os.pipe()
    lines = []

    def read():
        with os.fdopen(reading, "rb") as pipe:
            lines.extend(json.loads(line) for line in pipe)

    reader = threading.Thread(target=read)
    try:
        with writing_log(level, to=writing):
            if is_read:
                reader.start()
            yield lines
            if not is_read:
                reader.start()
    finally:
        os.close(writing)
        reader.join()


def warn(text):
    log.warning("it failed: %s", text)


def test_a_message_is_a_line_of_json_with_its_request():
    with written() as lines:
        token = REQUEST_ID.set("abc")
        log.warning("two\nlines of %s", "žluť")
        REQUEST_ID.reset(token)
        logging.getLogger("another.library").warning("not well")
    assert [line.pop("time")[-1] for line in lines] == ["Z", "Z"]
    assert lines == [
        {"level": "warning", "request": "abc", "message": "two\nlines of žluť"},
        {"level": "warning", "message": "not well"},
    ]


def test_an_error_has_its_traceback_in_its_line():
    with written() as lines:
        try:
            raise ZeroDivisionError("a reason")
        except ZeroDivisionError:
            log.exception("it failed")
    (line,) = lines
    assert (line["level"], line["message"]) == ("error", "it failed")
    assert line["traceback"].endswith("ZeroDivisionError: a reason")


@pytest.mark.parametrize(("level", "count"), [("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_leaves_out_what_matters_less_but_not_the_access_log(level, count):
    with written(level) as lines:
        log.info("it went well")
        log.warning("it went badly")
        log.error("it failed")
        logging.getLogger(ACCESS).info('{"path": "/"}')
        logging.getLogger("another.library").info("many words")
    assert len(lines) == count + 1
    assert lines[-1] == {"path": "/"}


def test_a_failure_that_goes_on_is_two_lines():
    with written() as lines:
        for number in range(1_000):
            warn(number)
        log.warning("another failure")
    assert [line["message"] for line in lines] == [
        "it failed: 0", "another failure", "it failed: 999 (the last of 999 like this)",
    ]  # fmt: skip


def test_errors_from_different_places_are_different_failures():
    def fail(kind):
        if kind:
            raise ValueError(kind)
        raise KeyError(kind)

    with written() as lines:
        for kind in (0, 1, 0, 2):
            try:
                fail(kind)
            except (ValueError, KeyError):
                log.exception("failed with %s", kind)
    assert [line["message"] for line in lines] == [
        "failed with 0", "failed with 1",
        "failed with 0 (the last of 1 like this)", "failed with 2 (the last of 1 like this)",
    ]  # fmt: skip
    assert ["traceback" in line for line in lines] == [True, True, False, False]


def test_answers_to_the_operator_are_never_held_back():
    with written() as lines:
        for number in range(3):
            logging.getLogger(OPERATIONS).error("attempt %d", number)
    assert [line["message"] for line in lines] == ["attempt 0", "attempt 1", "attempt 2"]


def test_lines_that_nobody_reads_are_dropped_and_counted():
    number = MOST_WAITING + 5_000
    with written(is_read=False) as lines:
        for path in range(number):
            logging.getLogger(ACCESS).info('{"path": %d}', path)
    *paths, last = lines
    numbers = [line["path"] for line in paths]
    # Which lines are dropped depends on when the thread runs, but their order and the count do not.
    is_ascending = all(map(lt, numbers, numbers[1:]))
    assert is_ascending
    assert len(numbers) >= MOST_WAITING
    assert last["message"] == (
        f"{number - len(numbers)} lines of this log were dropped, because nobody read them in time"
    )


def test_a_reader_that_is_gone_holds_nothing_up():
    reading, writing = os.pipe()
    os.close(reading)
    with writing_log("info", to=writing):
        warn("nobody hears it")
    os.close(writing)
    assert not [thread for thread in threading.enumerate() if thread.name == "qrkit-log"]


def test_a_message_that_cannot_be_formatted_is_dropped_and_raises_nothing(monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # pytest's raises
    with written() as lines:
        for _ in range(2):
            log.error("%d", "no number")
    assert lines[0]["message"].startswith("2 lines of this log were dropped")


def test_warnings_of_python_are_in_the_log():
    with written() as lines, warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("an old name", DeprecationWarning, stacklevel=1)
    assert "an old name" in lines[0]["message"]
