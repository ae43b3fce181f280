"""Text files in the encodings that spreadsheets write."""

import pytest

from qrkit.errors import InvalidParameter, UnreadableFile
from qrkit.exchange.encodings import decoded

URL = "https://example.com/"
FILES = {
    "cp1252": ["Name;Website;Stadt", f"Müller;{URL}a;Straße 5", f"Bäcker;{URL}b;München"],
    "latin-1": ["Nombre,Enlace", f"Peña Niño,{URL}a", f"José Martínez,{URL}b"],
    "cp932": ["名前,リンク,住所", f"東京タワー,{URL}a,東京都港区"],
    "euc_jp": ["名前,リンク,住所", f"東京タワー,{URL}a,東京都港区"],
    "cp1251": ["Имя;Ссылка", f"Москва;{URL}a", f"Плакат над дверью;{URL}b"],
    "koi8_r": ["Имя;Ссылка", f"Москва;{URL}a", f"Плакат над дверью;{URL}b"],
    "cp1250": ["Název;Adresa", f"Příbor;{URL}a", f"Žďár;{URL}b"],
    "cp1253": ["Όνομα;URL", f"Αθήνα;{URL}a", f"Πειραιάς;{URL}b"],
    "cp1256": ["اسم,URL", f"القاهرة,{URL}a", f"دبي,{URL}b"],
    "gb18030": ["名称,网址", f"北京天安门,{URL}a", f"上海,{URL}b"],
    "big5": ["名稱,網址", f"臺北車站,{URL}a", f"高雄,{URL}b"],
    "cp949": ["이름,주소", f"서울역,{URL}a", f"부산,{URL}b"],
    "cp874": ["ชื่อ,URL", f"กรุงเทพ,{URL}a", f"เชียงใหม่,{URL}b"],
    "mac_roman": ["Nom;URL", f"Café;{URL}a", f"Hôtel à la Côte;{URL}b"],
}


@pytest.mark.rule("X14")
@pytest.mark.parametrize("encoding", FILES)
def test_usual_encodings_are_guessed_and_told(encoding):
    text = "\r\n".join(FILES[encoding])
    found, note = decoded(text.encode(encoding))
    assert found == text
    foreign = [line for line in FILES[encoding] if not line.isascii()]
    assert "which is a guess" in note
    assert all(repr(line) in note for line in foreign[:2])


@pytest.mark.rule("X14")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("lines", [FILES["cp1252"], FILES["cp932"], ["Content", "x"]], ids=["de", "ja", "ascii"])
def test_utf_16_without_a_mark_is_read(encoding, lines):
    text = "\n".join(lines)
    assert decoded(text.encode(encoding)) == (text, "")
    assert decoded(text.encode("utf-32")) == (text, "")


@pytest.mark.rule("X14")
def test_japanese_between_escapes_is_read():
    """ISO-2022-JP, in which mail programs send files, looks like ASCII."""
    text = "\n".join(FILES["cp932"])
    assert decoded(text.encode("iso2022_jp")) == (text, "")
    assert decoded(b"a,\x1b$B\xff")[0].startswith("a,")


@pytest.mark.rule("X14")
def test_an_encoding_can_be_set():
    text = "Name;Adresa\nŁódź;https://example.com/a"
    assert decoded(text.encode("cp1250"), "cp1250") == (text, "")
    assert decoded(text.encode("utf-8-sig"), "utf-8") == (text, "")
    assert decoded(text.encode("utf-16"), "UTF-16") == (text, "")


@pytest.mark.parametrize(
    "encoding", ["klingon", "base64", "x\0y", "ü", "punycode", "IDNA", "undefined", "unicode_escape"]
)
def test_an_encoding_that_there_is_not_is_refused(encoding):
    with pytest.raises(InvalidParameter, match="is not the name of an encoding") as caught:
        decoded(b"Content\nx", encoding)
    assert caught.value.name == "encoding"


def test_a_file_in_another_encoding_than_set_is_refused_or_told(shop):
    with pytest.raises(UnreadableFile, match="not utf-16"):
        decoded(b"Content\nabc", "utf-16")
    result = shop.import_file("Content\nx\nGrüße".encode("cp1252"), encoding="utf-8")
    assert (result.created, [issue.row for issue in result.issues]) == (1, [3])


def test_a_guess_is_an_issue_of_an_import(shop):
    result = shop.import_file("\n".join(FILES["cp1252"]).encode("cp1252"), columns={"content": "Website"})
    assert result.created == 2
    (issue,) = (issue for issue in result.issues if issue.reason == "encoding-guessed")
    assert issue.detail.startswith("the file is not UTF-8 and was read as cp1252")


def test_a_guess_looks_at_few_lines():
    """Open: ten megabytes of which one line at the end is not ASCII, and one line of ten megabytes."""
    line = "Door,https://example.com/" + "x" * 60 + "\n"
    for text in (line * 120_000 + "Tür,https://example.com/é\n", "x" * 10_000_000 + " à la carte"):
        assert decoded(text.encode("cp1252"))[0] == text


@pytest.mark.parametrize("text", ["Tür", "ESPAÑA \u2013 Bar", "Österreich", "don\u2019t", "Дверь", "日本語", "naïve ©"])
def test_texts_read_in_a_wrong_encoding_are_reported(shop, text):
    """They came in as they were, and nothing was said."""
    # As other programs do, with the bytes that cp1252 lacks as control characters.
    misread = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())
    result = shop.import_file(f"Content,Comment\n{URL},{misread}\n".encode())
    (issue,) = result.issues
    assert (issue.reason, f"was probably {text!r}" in issue.detail) == ("damaged-text", True)
    assert shop.list_qrcodes()[0].comment == misread
    assert str(result) == "1 created (1 with a text that another program damaged)"


@pytest.mark.parametrize(
    "text",
    ["“CAFÉ” “HYVÄ”", "MANHÃ” x", "CAFÉ\u2019S", "IRMÃ\u2019S", "São Ångström", "élève» ï", "Ã", "日本語", "Дверь"],
)
def test_texts_with_accents_are_not_reported_as_damaged(shop, text):
    assert shop.import_file(f"Content,Comment\n{URL},{text}\n".encode()).issues == ()
