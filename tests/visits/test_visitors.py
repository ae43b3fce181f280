import ipaddress
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.tracking.records import Kind
from qrkit.tracking.referrers import referrer_host
from qrkit.visits.redirect import Redirects, Request
from qrkit.visits.visitors import Visitors, first_language, kind_of

some = settings(max_examples=60)

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"
WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
WEBVIEW = "AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/114.0.5735.196 Mobile Safari/537.36"

PEOPLE = {
    "iPhone Safari": IPHONE,
    "iPad Chrome": f"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) {WEBKIT} CriOS/126.0.6478.54 Mobile/15E148",
    "Android Chrome": f"Mozilla/5.0 (Linux; Android 10; K) {CHROME} Mobile Safari/537.36",
    "Samsung": f"Mozilla/5.0 (Linux; Android 14; SM-S918B) {CHROME} Mobile Safari/537.36 SamsungBrowser/25.0",
    "Xiaomi": f"Mozilla/5.0 (Linux; U; Android 13; en-us; Redmi Note 12) {WEBVIEW} XiaoMi/MiuiBrowser/14.2.2",
    "Cubot, a maker of phones": f"Mozilla/5.0 (Linux; Android 7.0; CUBOT MAX) {CHROME} Mobile Safari/537.36",
    "Cubot with its model": f"Mozilla/5.0 (Linux; Android 9; CUBOT_X19) {CHROME} Mobile Safari/537.36",
    "M bot, a phone": f"Mozilla/5.0 (Linux; Android 7.0; M bot 60 Build/NRD90M) {CHROME} Mobile Safari/537.36",
    "VR BOT in an app": f"Mozilla/5.0 (Linux; Android 6.0; VR BOT 552 PLUS Build/MRA58K; wv) {WEBVIEW} Instagram 330.0",
    "C Bot Tab, a tablet": f"Mozilla/5.0 (Linux; Android 7.0; C Bot Tab 70) {CHROME} Safari/537.36",
    "XBot": f"Mozilla/5.0 (Linux; Android 8.1.0; XBot Junior) {CHROME} Mobile Safari/537.36",
    "Spider, a tablet": f"Mozilla/5.0 (Linux; Android 13; Spider 8) {CHROME} Safari/537.36",
    "UC Browser on an iPhone": "dv(iPh14,5);pr(UCBrowser/13.9.0.1727);ov(15_4_1);ss(390x844);bt(UC);pm(0);bv(0);nm(0);",
    "a feature phone": "GIONEE S80/Q03C MAUI-browser/MIDP2.0/CLDC1.1/Screen-240X320",
    "HarmonyOS": "Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) ArkWeb/4.1.6 Mobile",
    "an app that scans codes": f"Mozilla/5.0 (Linux; Android 14; SM-S918B; wv) {WEBVIEW} QRScan/3.1",
    "a carrier with a domain": f"Mozilla/5.0 (Linux; Android 13; Pixel 7; wv) {WEBVIEW} [FBCR/Vodafone.de;]",
    "an app named like a site": f"Mozilla/5.0 (Linux; Android 13; Pixel 7; wv) {WEBVIEW} Shop.com/41.2",
    "KaiOS": "Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5",
    "Opera Mini": "Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16",
    "Windows Edge": f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {CHROME} Safari/537.36 Edg/126.0.0.0",
    "Windows Firefox": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mac Safari": f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Version/17.5 Safari/605.1.15",
    "Linux Firefox": "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "in Facebook": f"Mozilla/5.0 (Linux; Android 13; Pixel 7; wv) {WEBVIEW} [FB_IAB/FB4A;FBAV/420.0.0.32.61;]",
    "in Facebook on iOS": f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) {WEBKIT} Mobile/15E148 [FBAN/FBIOS]",
    "in Instagram": f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) {WEBKIT} Mobile/15E148 Instagram 330.0",
    "in WeChat": f"Mozilla/5.0 (Linux; Android 12; M2102J20SG; wv) {WEBVIEW} MicroMessenger/8.0.33 NetType/WIFI",
    "in TikTok": f"Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) {WEBKIT} Mobile/15E148 musical_ly_33.1.0",
    "in Snapchat": f"Mozilla/5.0 (Linux; Android 13; CPH2371) {WEBVIEW} Snapchat/12.90.0.46",
    "in the Google app": f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) {WEBKIT} GSA/319.0.641 Mobile/15E148",
}

MONITORS = [
    "DatadogSynthetics",
    "NewRelicSynthetics/1.0",
    "(Checkly, https://www.checklyhq.com)",
    "(StatusCake)",
    "Site24x7",
    "DareBoost",
    "GTmetrix",
    "SecurityHeaders",
    "Uptime/1.0 (https://uptime.com)",
    "A monitor without a version",
]

BOTS = [
    "",
    "-",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    f"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) {CHROME} Mobile Safari/537.36 (compatible; Googlebot/2.1)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
    "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) {WEBKIT} facebookexternalhit/1.1 Facebot Twitterbot/1.0",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "TelegramBot (like TwitterBot)",
    "WhatsApp/2.23.20.0 A",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
    "UptimeRobot/2.0; http://www.uptimerobot.com/",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36",
    "curl/8.5.0",
    "Wget/1.21.4",
    "python-requests/2.32.3",
    "Python-urllib/3.11",
    "Go-http-client/2.0",
    "okhttp/4.12.0",
    "Java/17.0.9",
    *(f"Mozilla/5.0 (X11; Linux x86_64) {CHROME} Safari/537.36 {monitor}" for monitor in MONITORS),
    f"Mozilla/5.0 (X11; Linux x86_64; Rigor) {CHROME} Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 6.0.1; Moto G (4)) {CHROME} Mobile Safari/537.36 PTST/211202.211915",
    "Mozilla/5.0 (Windows NT 6.1; WOW64; rv:38.0; GomezAgent 3.0) Gecko/20100101 Firefox/38.0",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) acunetix-product/wvs (Acunetix Web Vulnerability Scanner - Free Edition)",
    "Mozilla/5.0 [en] (X11, U; OpenVAS)",
    "Mozilla/5.0 zgrab/0.x",
    "Mozilla/5.0 (watchTowr; Windows NT 10.0; Win64; x64; rv:84.0) Gecko/20100101 Firefox/84.0",
    "MobileSafari/9537.53 CFNetwork/672.0.2 Darwin/14.0.0",
    "Dalvik/2.1.0 (Linux; U; Android 9; SM-G965U Build/PPR1.180610.011)",
    "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1",
    "Thumbor/6.7.5, Mozilla/5.0 (Linux; Android 9; RAZER Phone) AppleWebKit/537.36 (KHTML, like Gecko)",
]

JAVA_PHONE = "Profile/MIDP-2.0 Configuration/CLDC-1.1"
OLD_PHONES = [
    "BlackBerry8520/5.0.0.592 Profile/MIDP-2.1 Configuration/CLDC-1.1 VendorID/168",
    "BlackBerry9700/5.0.0.862 Profile/MIDP-2.1 Configuration/CLDC-1.1 VendorID/120",
    f"SAMSUNG-SGH-A887/A887UCIJ1 SHP/VPP/R5 NetFront/3.5 SMM-MMS/1.2.0 {JAVA_PHONE}",
    "LG-LG220C[TF268435458416597116000000013524223841] UP.Browser/6.2.3.8 (GUI) MMP/2.0",
    f"LG-GW382f/V10d Obigo/Q7.3 {JAVA_PHONE}",
    f"Vodafone/1.0/LG-KU990i/V10c Browser/Obigo-Q05A/3.6 MMS/LG-MMS-V1.0/1.2 Java/ASVM/1.0 {JAVA_PHONE}",
    "Nokia6300/2.0 (04.20)",
    f"SonyEricssonW850i/R1GB Browser/NetFront/3.3 {JAVA_PHONE}",
    f"MOT-V3r/08.BD.43R MIB/2.2.1 {JAVA_PHONE}",
    "DoCoMo/2.0 SH01A(c100;TB;W24H16)",
    "KDDI-CA39 UP.Browser/6.2.0.13.1.5 (GUI) MMP/2.0",
    "UCWEB/2.0 (MIDP-2.0; U; Adr 4.4.2; en-US; GT-I9500) U2/1.0.0 UCBrowser/10.5.0.575 U2/1.0.0 Mobile",
]
"""They name the device, and no browser that is-crawler knows."""

ANDROID = f"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) {CHROME} Mobile Safari/537.36"
LIKE_PHONES = [
    f"{ANDROID} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    f"{ANDROID} (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    f"{ANDROID} (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)",
    f"{IPHONE} (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)",
    f"{IPHONE} (Applebot/0.1; +http://www.apple.com/go/applebot)",
    f"{IPHONE} (compatible; YandexMobileBot/3.0; +http://yandex.com/bots)",
    f"{ANDROID} (compatible; Bytespider; spider-feedback@bytedance.com)",
    f"{ANDROID} (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
    "DoCoMo/2.0 N905i(c100;TB;W24H16) (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)",
    f"SAMSUNG-SGH-E250/1.0 {JAVA_PHONE} UP.Browser/6.2.3.3 (GUI) MMP/2.0 (compatible; Googlebot-Mobile/2.1; "
    "+http://www.google.com/bot.html)",
    f"SAMSUNG-SGH-E250/1.0 {JAVA_PHONE} (compatible; MSMOBOT/1.1; +http://search.msn.com/msnbot.htm)",
    f"Nokia6820/2.0 (4.83) {JAVA_PHONE} (compatible; YahooSeeker/M1A1-R2D2)",
    f"LG-GW382f/V10d {JAVA_PHONE} (compatible; Baiduspider-mobile)",
    "BlackBerry9300/5.0 facebookexternalhit/1.1",
    "WhatsApp/2.12.1 BlackBerry9300",
    "BlackBerry9300/5.0 Profile/MIDP-2.1 curl/7.19",
    "Slackbot 1.0 (+https://api.slack.com/robots)",
    "okhttp/3.12 Nokia6300/2.0",
]
"""Bots that show a page as a phone would, and say so."""


@pytest.mark.rule("T9")
@pytest.mark.parametrize("agent", OLD_PHONES)
def test_a_phone_that_names_no_browser_is_no_bot(agent):
    """Open: what is a bot. A phone of the days before Android and iOS names its device and its Java or WAP."""
    assert kind_of("GET", {"user-agent": agent}) == "scan"


@pytest.mark.rule("T9")
@pytest.mark.parametrize("agent", LIKE_PHONES)
def test_a_bot_that_imitates_a_phone_stays_a_bot(agent):
    assert kind_of("GET", {"user-agent": agent}) == "bot"


@given(st.sampled_from(OLD_PHONES), st.sampled_from(["bot", "Crawler/1", "spider", "(compatible; Seer/2)", "a@b.com"]))
def test_a_phone_that_names_a_program_is_a_bot(phone, program):
    assert kind_of("GET", {"user-agent": f"{phone} {program}"}) == "bot"


@pytest.mark.rule("T9")
@pytest.mark.parametrize("agent", PEOPLE.values(), ids=PEOPLE)
def test_a_person_s_get_is_a_scan(agent):
    """Open: what counts. Whatever a person's phone asks for, in its browser or inside an app."""
    assert kind_of("GET", {"user-agent": agent}) == "scan"


@pytest.mark.rule("T9")
@pytest.mark.parametrize("agent", BOTS)
def test_a_bot_does_not_count(agent):
    """Open: crawlers and link previews. They are kept as bots; who sends no user agent at all is a program, too."""
    assert kind_of("GET", {"user-agent": agent}) == "bot"


@pytest.mark.rule("T9")
@pytest.mark.parametrize("agent", [IPHONE, "Twitterbot/1.0", ""])
def test_head_does_not_count(agent):
    """Open: HEAD. Programs ask so; some of them with the user agent of a browser."""
    assert kind_of("HEAD", {"user-agent": agent}) == "head"


@pytest.mark.rule("T9")
@pytest.mark.parametrize("agent", [IPHONE, "Twitterbot/1.0"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("purpose", "prefetch"),
        ("purpose", "preview"),
        ("sec-purpose", "prefetch"),
        ("sec-purpose", "prefetch;prerender"),
        ("sec-purpose", "prefetch;anonymous-client-ip"),
        ("x-purpose", "preview"),
        ("x-purpose", ": preview"),
        ("x-moz", "prefetch"),
        ("X-Moz".lower(), "Prefetch"),
    ],
)
def test_what_is_asked_for_ahead_of_a_person_does_not_count(name, value, agent):
    """Open: browsers that load links before they are tapped. They say so, in four headers."""
    assert kind_of("GET", {"user-agent": agent, name: value}) == "prefetch"


@pytest.mark.rule("T9")
@pytest.mark.parametrize(
    ("fetch", "kind"),
    [
        ({"dest": "document", "mode": "navigate", "site": "none"}, "scan"),
        ({"dest": "document", "mode": "navigate", "site": "cross-site"}, "scan"),
        ({"dest": "iframe", "mode": "navigate"}, "scan"),
        ({"dest": "empty", "mode": "cors"}, "scan"),
        ({"dest": "", "mode": ""}, "scan"),
        ({"dest": "image", "mode": "no-cors"}, "prefetch"),
        ({"dest": "image", "mode": "cors"}, "prefetch"),
        ({"dest": "script", "mode": "no-cors"}, "prefetch"),
        ({"dest": "style"}, "prefetch"),
        ({"dest": "video"}, "prefetch"),
        ({"dest": "empty", "mode": "no-cors"}, "prefetch"),
        ({"dest": "document", "mode": "no-cors"}, "prefetch"),
    ],
)
def test_a_part_of_another_page_does_not_count(fetch, kind):
    """Open: a short URL used as the address of a picture or a script. That is no visit of a person."""
    headers = {f"sec-fetch-{name}": value for name, value in fetch.items()}
    assert kind_of("GET", {"user-agent": IPHONE} | headers) == kind


def test_other_purposes_and_headers_do_not_matter():
    assert kind_of("GET", {"user-agent": IPHONE, "purpose": "navigate", "accept": "prefetch"}) == "scan"


header_text = st.text(st.characters(max_codepoint=255), max_size=60)
headers = st.dictionaries(
    st.sampled_from(["user-agent", "sec-purpose", "purpose", "x-moz", "sec-fetch-dest", "sec-fetch-mode"]), header_text
)


@some
@given(st.sampled_from(["GET", "HEAD"]), headers, header_text)
def test_no_header_is_too_odd(method, sent, text):
    assert kind_of(method, sent) in get_args(Kind)
    assert len(referrer_host(text) or "") <= 253
    assert (first_language(text) or "en").isascii()


@pytest.mark.rule("T10")
@pytest.mark.parametrize(
    ("referrer", "host"),
    [
        ("https://www.Example.com/private?token=secret#x", "www.example.com"),
        ("https://user:pw@example.com:8443/", "example.com"),
        ("android-app://com.google.android.gm/", "com.google.android.gm"),
        ("http://[::1]:80/", "::1"),
        ("https://example.com./x", "example.com"),
        ("", None),
        ("about:blank", None),
        ("example.com/x", None),
        ("http://[::1", None),
        ("https://" + "x" * 60_000, None),
    ],
)
def test_of_a_referrer_only_the_host_is_kept(referrer, host):
    """Open: what of `Referer` is kept. Its host: the rest may name a person. A host has at most 253 characters."""
    assert referrer_host(referrer) == host


@pytest.mark.rule("T10")
@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de-AT"),
        ("en", "en"),
        (" sl ;q=1", "sl"),
        ("zh-Hant-TW, zh", "zh-Hant-TW"),
        ("fil", "fil"),
        ("en_US", "en"),
        ("english", None),
        ("*", None),
        ("", None),
        ("1234", None),
        ("<script>", None),
        ("de" + "-abcdefgh" * 5_000, "de-abcdefgh-abcdefgh-abcdefgh"),
    ],
)
def test_of_the_languages_the_first_is_kept(accepted, language):
    """Open: which language is kept. The first, and no more of it than a language tag has."""
    assert first_language(accepted) == language


# Keys of visitors -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("T10")
def test_a_visitor_has_one_key_on_one_day():
    """Open: what a unique visitor is. An address with a user agent, on one UTC day."""
    visitors = Visitors()
    first, last = NOON.replace(hour=0), NOON.replace(hour=23, minute=59, second=59)
    assert visitors.key("203.0.113.7", IPHONE, first) == visitors.key("203.0.113.7", IPHONE, last)
    assert 0 <= visitors.key("203.0.113.7", IPHONE, last) < 2**64


@pytest.mark.rule("T10")
def test_keys_differ_by_address_user_agent_and_day():
    """Open: how long a visitor can be recognised. One day: then the salt of the hash is thrown away."""
    visitors = Visitors()
    people = [("203.0.113.7", IPHONE), ("203.0.113.8", IPHONE), ("203.0.113.7", "x"), ("203.0.113.7", ""), ("", "")]
    days = [NOON + timedelta(days=number) for number in (0, 1, 2, 400)]
    keys = [visitors.key(address, agent, day) for day in days for address, agent in people]
    assert len(set(keys)) == len(keys)


@pytest.mark.rule("T10")
def test_keys_cannot_be_computed_by_who_knows_the_address():
    """Open: whether a key can be turned back. Not by trying addresses: each process and day has a secret salt."""
    assert Visitors().key("203.0.113.7", IPHONE, NOON) != Visitors().key("203.0.113.7", IPHONE, NOON)


@pytest.mark.rule("T10")
def test_no_key_of_a_day_is_made_with_the_salt_of_another():
    """Open: a salt that cannot be had. There is no key then, and the next visitor asks for it again."""
    given = iter([b"first", None, None, b"second"])
    asked = []

    def salt(day):
        asked.append(day)
        found = next(given)
        if found is None:
            raise OSError
        return found

    visitors = Visitors(salt)
    tomorrow = NOON + timedelta(days=1)
    yesterday = visitors.key("203.0.113.7", IPHONE, NOON)
    for _ in range(2):
        with pytest.raises(OSError):
            visitors.key("203.0.113.7", IPHONE, tomorrow)
    today = visitors.key("203.0.113.7", IPHONE, tomorrow)
    assert today == Visitors(lambda _: b"second").key("203.0.113.7", IPHONE, tomorrow) != yesterday
    assert asked == [NOON.toordinal(), *[tomorrow.toordinal()] * 3]


@pytest.mark.rule("T10")
def test_a_thread_that_is_late_at_midnight_does_not_turn_the_day_back():
    """Open: a request of 23:59 that is reached after one of 0:00. It is of today, so that nobody counts twice."""
    visitors = Visitors()
    midnight = NOON.replace(hour=0) + timedelta(days=1)
    before, after = midnight - timedelta(milliseconds=1), midnight + timedelta(milliseconds=1)
    key = visitors.key("203.0.113.7", IPHONE, midnight)
    assert not visitors.is_repeat("k3Jd9Q", key, midnight)
    assert visitors.key("203.0.113.7", IPHONE, before) == key
    assert visitors.key("203.0.113.7", IPHONE, after) == key
    assert visitors.is_repeat("k3Jd9Q", key, after)


@pytest.mark.rule("T10")
@pytest.mark.parametrize("days", [1, 2, -2, 400])
def test_visitors_of_another_day_are_forgotten(days):
    """Open: what is kept of a visitor after midnight. Nothing, not even the key in memory."""
    visitors = Visitors()
    key = visitors.key("203.0.113.7", IPHONE, NOON)
    assert not visitors.is_repeat("k3Jd9Q", key, NOON)
    visitors.key("203.0.113.8", IPHONE, NOON + timedelta(days=days))
    assert not visitors.is_repeat("k3Jd9Q", key, NOON)


@pytest.mark.rule("T9")
def test_memory_of_repeats_has_a_bound():
    """Open: how many visits are remembered. 10,000 and the next; then all are forgotten, and may count again."""
    visitors = Visitors()
    for visitor in range(10_001):
        visitors.is_repeat("one", visitor, NOON)
    assert visitors.is_repeat("one", 0, NOON), "a repeat is told before anything is forgotten"
    assert not visitors.is_repeat("one", 10_001, NOON)
    assert not visitors.is_repeat("one", 0, NOON)
    assert visitors.is_repeat("one", 10_001, NOON)


@pytest.mark.rule("T9")
def test_a_visit_that_was_not_stored_counts_again():
    visitors = Visitors()
    for visitor in (1, 2):
        visitors.is_repeat("one", visitor, NOON)
    visitors.forget("one", 1)
    visitors.forget("another", 2)
    assert [visitors.is_repeat("one", visitor, NOON) for visitor in (1, 2)] == [False, True]


@pytest.mark.rule("T10")
def test_a_clock_that_was_years_ahead_does_not_make_a_salt_last():
    """Open: a clock that is set back. Each day from then on has a salt of its own."""
    visitors = Visitors()
    keys = [visitors.key("203.0.113.7", IPHONE, NOON + timedelta(days=days)) for days in (4_000, 0, 1, 2)]
    assert len(set(keys)) == len(keys)


@some
@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_where_the_address_ends_matters(address, agent, other_address, other_agent):
    visitors = Visitors()
    same = (address, agent) == (other_address, other_agent) or "\0" in address + other_address
    keys = {visitors.key(address, agent, NOON), visitors.key(other_address, other_agent, NOON)}
    assert same or len(keys) == 2


@pytest.mark.rule("T9")
@pytest.mark.parametrize(("seconds", "repeat"), [(0, True), (0.5, True), (1.999, True), (2, False), (3600, False)])
def test_a_second_request_within_two_seconds_is_the_same_scan(seconds, repeat):
    """Open: readers that ask twice for one scan. Two requests less than 2 s apart are one."""
    visitors = Visitors()
    assert not visitors.is_repeat("k3Jd9Q", 1, NOON)
    assert visitors.is_repeat("k3Jd9Q", 1, NOON + timedelta(seconds=seconds)) is repeat


@pytest.mark.rule("T9")
def test_another_code_or_visitor_is_no_repeat():
    """Open: whose second request is a repeat. The same visitor's, to the same code."""
    visitors = Visitors()
    assert not visitors.is_repeat("one", 1, NOON)
    assert not visitors.is_repeat("two", 1, NOON)
    assert not visitors.is_repeat("one", 2, NOON)
    assert visitors.is_repeat("one", 1, NOON)


@pytest.mark.rule("T9")
def test_repeats_do_not_push_the_next_scan_away():
    """Open: a page reloaded every second. Each scan counts from the last one that counted, so one in 2 s counts."""
    visitors = Visitors()
    moments = [NOON + timedelta(seconds=number) for number in range(6)]
    assert [visitors.is_repeat("one", 1, moment) for moment in moments] == [False, True] * 3


@pytest.mark.rule("T10")
def test_no_address_is_anywhere_in_the_file_of_the_store(tmp_path):
    """Open: whether addresses are kept. Nowhere, in no form, not even in the journal beside the file."""
    addresses = ["203.0.113.77", "2001:db8:85a3::8a2e:370:7334"]
    path = tmp_path / "shop.duckdb"

    def files():
        return b"".join(file.read_bytes() for file in tmp_path.iterdir())

    with open_portfolio(path) as shop:
        shop.insert_qrcode("https://example.com/target-of-all", short_code="door")
        redirects = Redirects(shop.store, clock=lambda: NOON)
        for address in addresses:
            redirects.answer(Request("GET", "door", {"user-agent": IPHONE}, address))
        assert shop.scans.count() == 2
        journal = files()
    for written in (journal, files()):
        assert b"https://example.com/target-of-all" in written
        for address in addresses:
            assert address.encode() not in written
        assert ipaddress.ip_address(addresses[1]).packed not in written
        assert ipaddress.ip_address(addresses[1]).packed[::-1] not in written


def test_the_longest_host_that_is_kept_has_253_characters():
    longest = ".".join(["a" * 61] * 4) + ".abcde"
    assert len(longest) == 253
    assert referrer_host(f"https://{longest}/page") == longest
    assert referrer_host(f"https://{longest}f/page") is None
