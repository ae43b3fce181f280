import pandas as pd
import pytest

from qrkit import contents

NETWORK = contents.wifi("Lobby", "welcome-1")
CSV = """\
Kind,QR Code Name,Content,SSID,Password,Room
wifi,Lobby,,Lobby,welcome-1,1
,Menu,https://example.com/menu,,,2
Wifi,Bar,,Bar,,3
whifi,Pool,,Pool,x,4
wifi,Door,https://example.com,,,5
wifi,Stage,WIFI:T:nopass;S:Stage;;,,,6
"""


def issues(result):
    return [(issue.row, issue.reason, issue.detail) for issue in result.issues]


def contents_of(portfolio):
    return {code.name: code.content for code in portfolio.list_qrcodes()}


def test_rows_of_a_file_describe_contents_by_kind(shop, tmp_path):
    (tmp_path / "rooms.csv").write_text(CSV)
    result = shop.import_file(tmp_path / "rooms.csv")
    assert contents_of(shop) == {
        "Lobby": str(NETWORK),
        "Menu": "https://example.com/menu",
        "Stage": "WIFI:T:nopass;S:Stage;;",
    }
    (_, column, told), *rows = issues(result)
    assert (column, told.partition(" becomes")[0]) == ("own-column", "'Room'")
    assert [(row, reason) for row, reason, _ in rows] == [(4, "invalid"), (5, "invalid"), (6, "invalid")]
    assert "password: is required for WPA" in rows[0][2]
    assert "did you mean 'wifi'?" in rows[1][2]
    assert "is not the kind of the content in this row, which is" in rows[2][2]


def test_rows_of_a_frame_describe_contents_by_kind(shop):
    frame = pd.DataFrame({"kind": ["wifi"], "name": ["Lobby"], "ssid": ["Lobby"], "password": ["welcome-1"], "x": [7]})
    result = shop.import_frame(frame)
    assert contents_of(shop) == {"Lobby": str(NETWORK)}
    assert [reason for _, reason, _ in issues(result)] == ["own-column"]


def test_a_column_of_kinds_makes_a_content_column_unneeded(shop, tmp_path):
    (tmp_path / "rooms.csv").write_text("kind,ssid,password\nwifi,Lobby,welcome-1\n")
    assert shop.import_file(tmp_path / "rooms.csv").created == 1
    assert list(contents_of(shop).values()) == [str(NETWORK)]


@pytest.mark.parametrize("word", ["None", "none", "(none)", "Open"])
def test_a_network_without_security_is_open(shop, word):
    shop.import_file(f"Kind,SSID,Security\nwifi,Guests,{word}\n".encode(), format="csv")
    assert list(contents_of(shop).values()) == ["WIFI:T:nopass;S:Guests;;"]


def test_files_without_kinds_keep_their_unknown_columns_named(shop, tmp_path):
    (tmp_path / "rooms.csv").write_text("Content,ssid\nhello,Lobby\n")
    assert [reason for _, reason, _ in issues(shop.import_file(tmp_path / "rooms.csv"))] == ["own-column"]
