"""Who asks: behind which proxies the address that they forward is believed."""

import pytest

from qrkit.server.clients.proxies import client_address, is_free, network_of_peer
from qrkit.server.settings import Settings

DIRECT = Settings()
ONE = Settings(trusted_proxies=["10.0.0.0/8"])
TWO = Settings(trusted_proxies=["10.0.0.0/8"], proxy_hops=2)
OTHER = Settings(trusted_proxies=["192.168.1.1", "2001:db8::/32"])
PEER = "10.0.0.1"


@pytest.mark.rule("T10")
@pytest.mark.parametrize(
    ("forwarded", "direct", "one", "two", "other"),
    [
        (None, PEER, PEER, PEER, PEER),
        ("1.2.3.4", PEER, "1.2.3.4", PEER, PEER),
        ("6.6.6.6, 1.2.3.4", PEER, "1.2.3.4", "6.6.6.6", PEER),
        ("6.6.6.6,unknown", PEER, PEER, "6.6.6.6", PEER),
        ("[2001:db8::1]:443, 1.2.3.4:5678", PEER, "1.2.3.4", "2001:db8::1", PEER),
        ("6.6.6.6, 5.5.5.5, ::ffff:1.2.3.4", PEER, "1.2.3.4", "5.5.5.5", PEER),
    ],
)
def test_only_what_a_trusted_proxy_wrote_is_believed(forwarded, direct, one, two, other):
    """Open: whose address a visit has. The peer's; behind trusted proxies, the one that the outermost of them saw."""
    environ = {"REMOTE_ADDR": PEER} | ({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})
    found = [client_address(environ, settings) for settings in (DIRECT, ONE, TWO, OTHER)]
    assert found == [direct, one, two, other]


@pytest.mark.parametrize(
    "forwarded",
    [
        "",
        ",",
        "unknown",
        "localhost",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "256.1.1.1",
        "1.2.3.4/8",
        "1.2.3.4:port",
        "[1.2.3.4",
        "fe80::1%<script>",
        "[fe80::1%eth0]:80",
        "\u0661.2.3.4",
        "1.2.3.4\0",
        "for=1.2.3.4",
        "'; DROP TABLE visits",
        "6.6.6.6," * 5_000 + "x",
    ],
)
def test_what_is_no_address_leaves_the_peer(forwarded):
    assert client_address({"REMOTE_ADDR": PEER, "HTTP_X_FORWARDED_FOR": forwarded}, ONE) == PEER


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        (" 1.2.3.4\t", "1.2.3.4"),
        ("1.2.3.4:80", "1.2.3.4"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[::ffff:1.2.3.4]:80", "1.2.3.4"),
        ("6.6.6.6," * 5_000 + "1.2.3.4", "1.2.3.4"),
    ],
)
def test_addresses_are_read_with_and_without_ports(forwarded, address):
    assert client_address({"REMOTE_ADDR": PEER, "HTTP_X_FORWARDED_FOR": forwarded}, ONE) == address


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("2001:DB8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_a_peer_has_one_spelling(peer, address):
    assert client_address({"REMOTE_ADDR": peer}, DIRECT) == address


def test_a_proxy_is_known_in_every_spelling_of_its_address():
    forwarded = {"HTTP_X_FORWARDED_FOR": "1.2.3.4"}
    assert client_address({"REMOTE_ADDR": "::ffff:10.9.9.9"} | forwarded, ONE) == "1.2.3.4"
    assert client_address({"REMOTE_ADDR": "192.168.1.1"} | forwarded, OTHER) == "1.2.3.4"
    assert client_address({"REMOTE_ADDR": "2001:DB8:0:0::7"} | forwarded, OTHER) == "1.2.3.4"
    assert client_address({"REMOTE_ADDR": "192.168.1.2"} | forwarded, OTHER) == "192.168.1.2"


def test_of_other_forwarding_headers_nothing_is_believed():
    spoofed = {"HTTP_FORWARDED": "for=6.6.6.6", "HTTP_X_REAL_IP": "6.6.6.6", "HTTP_CLIENT_IP": "6.6.6.6"}
    assert client_address({"REMOTE_ADDR": PEER} | spoofed, ONE) == PEER


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "nonsense"])
def test_trusted_proxies_and_this_machine_may_have_any_number_of_connections(peer):
    assert is_free(peer, Settings(trusted_proxies=("10.0.0.0/8",)))


@pytest.mark.parametrize("peer", ["203.0.113.9", "2001:db8::1", "::ffff:203.0.113.9"])
def test_others_have_a_share_of_the_connections(peer):
    assert not is_free(peer, Settings(trusted_proxies=("10.0.0.0/8",)))


@pytest.mark.parametrize(
    ("one", "another", "are_one"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("203.0.113.9", "::ffff:203.0.113.9", True),
        ("::ffff:203.0.113.9", "::ffff:203.0.113.8", False),
    ],
)
def test_connections_are_counted_by_network_as_requests_are(one, another, are_one):
    assert (network_of_peer(one) == network_of_peer(another)) == are_one
