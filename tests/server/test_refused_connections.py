"""What the log says of clients that open too many connections."""

import logging

from qrkit.server import Settings
from qrkit.server.sockets.refused_connections import RefusedConnections


def test_refused_connections_are_one_line_a_minute_without_addresses(caplog):
    times = [0.0]
    refused = RefusedConnections(Settings(), seconds=lambda: times[-1])
    with caplog.at_level(logging.WARNING, logger="qrkit"):
        refused.log()
        for address in ("203.0.113.7", "2001:db8::1", "2001:db8::2", "::ffff:203.0.113.7", "203.0.113.7"):
            refused.count(address)
        refused.log()
        refused.count("203.0.113.7")
        for moment in (59.0, 60.0, 120.0):
            times.append(moment)
            refused.log()
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("5 connections of clients with too many were refused: {'")
    mark = first.split("'")[1]
    assert f"'{mark}': 3" in first
    assert first.count(": 2}") == 1
    assert second == f"1 connections of clients with too many were refused: {{'{mark}': 1}}"
    assert "203.0" not in caplog.text
    assert "2001:db8" not in caplog.text
