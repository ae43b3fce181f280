from dataclasses import dataclass

from qrkit.server.clients.connections import has_its_share, makes_room


@dataclass(frozen=True)
class Waiting:
    network: str
    seconds: float | None

    def idle_seconds(self):
        return self.seconds


def test_a_network_gets_its_share_of_connections_and_no_more():
    others = [Waiting("b", 0)] * 400
    assert not has_its_share("a", [Waiting("a", 0)] * 99 + others)
    assert has_its_share("a", [Waiting("a", None)] * 100)


def test_the_network_that_holds_most_makes_room_by_its_oldest_connection():
    """Six networks of an attacker do not push out somebody who waits for longer."""
    crowd = [Waiting(f"203.0.113.{n}", seconds) for n in range(6) for seconds in (9, 3 + n, 1)]
    honest = Waiting("192.0.2.1", 19)
    assert makes_room([honest, *crowd]).seconds == 9
    assert makes_room([honest, Waiting("192.0.2.2", 20)]) == Waiting("192.0.2.2", 20)


def test_what_is_being_answered_makes_no_room():
    assert makes_room([Waiting("a", None)] * 3) is None
    assert makes_room([*[Waiting("a", None)] * 3, Waiting("b", 0.5)]) == Waiting("b", 0.5)
