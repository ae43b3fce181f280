"""Access logs of web servers: each redirect of a short URL becomes a visit."""

import gzip
import json
from contextlib import suppress
from time import process_time

import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import UnreadableFile
from qrkit.exchange import access_logs
from qrkit.portfolio.opening import portfolio_in

GO = "https://go.example.com"
AGENT = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile/15E148 Safari/604.1"


def combined(request, status, host=""):
    return f'{host}192.0.2.1 - - [01/Mar/2024:10:00:05 +0100] "{request}" {status} 0 "https://t.co/x" "{AGENT}"'


def caddy(uri, status, method="GET"):
    headers = {"User-Agent": [AGENT], "Referer": ["https://t.co/x"]}
    request = {"remote_ip": "192.0.2.1", "method": method, "host": "go.example.com", "uri": uri, "headers": headers}
    entry = {"level": "info", "ts": 1709283605.25, "logger": "http.log.access.log0", "request": request}
    return json.dumps(entry | {"status": status})


CLOUDFRONT = "date time x-edge-location c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent)"
IIS = "date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status"
LOGS = {
    "nginx": [
        combined("GET /door?q HTTP/1.1", 302), combined("GET /favicon.ico HTTP/1.1", 404),
        combined("HEAD /door HTTP/1.1", 302), "no line of a log", combined("GET / HTTP/1.1", 200),
    ],
    "Apache with hosts": [combined("GET /door HTTP/2.0", 301, "go.example.com:443 "), combined("-", 408)],
    "Caddy": [caddy("/door", 302), caddy("/door", 302, "POST"), caddy("/x.png", 200), "{"],
    "CloudFront": [
        "#Version: 1.0", f"#Fields: {CLOUDFRONT}",
        "\t".join(["2024-03-01", "09:00:05", "FRA2", "192.0.2.1", "GET", "d1.cloudfront.net", "/door", "302",
                   "https://t.co/x", AGENT.replace(" ", "%20")]),
    ],
    "IIS": [
        "#Software: IIS", f"#Fields: {IIS}",
        f"2024-03-01 09:00:05 192.0.2.9 GET /door - 192.0.2.1 {AGENT.replace(' ', '+')} https://t.co/x 302",
        "2024-03-01 09:00:05 192.0.2.9 GET /x.css - 192.0.2.1 - - 200",
    ],
}  # fmt: skip


def entry(**fields):
    line = json.dumps(fields)
    return [line, line.replace("302", "404"), line.replace("GET", "HEAD")]


MORE = {
    "HAProxy": [
        "Mar  1 09:00:05 lb haproxy[12]: 192.0.2.1:33317 [01/Mar/2024:09:00:05.655] in www/srv1 10/0/30/69/109 302 "
        '2750 - - ---- 1/1/1/1/0 0/0 {go.example.com|x} {} "GET /door HTTP/1.1"',
    ],
    "AWS load balancer": [
        "https 2024-03-01T09:00:05.186641Z app/lb/50dc 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 302 302 34 366 "
        f'"GET https://go.example.com:443/door?a=1 HTTP/1.1" "{AGENT}" - - arn:aws:x "Root=1-58" "-" "-" 0 "forward"',
    ],
    "S3": [
        f"79a59df9 go.example.com [01/Mar/2024:09:00:05 +0000] 192.0.2.1 - 3E57 WEBSITE.GET.OBJECT door "
        f'"GET /door HTTP/1.1" 302 - - - 10 - "-" "{AGENT}" -',
    ],
    "Envoy": [f'[2024-03-01T09:00:05.310Z] "GET /door HTTP/2" 302 - 0 0 226 100 "192.0.2.1" "{AGENT}" "cb54" "go"'],
    "journal": [f"Mar 01 09:00:05 web nginx[123]: {combined('GET /door HTTP/1.1', 302)}"],
    "journal with Caddy": [f"Mar 01 09:00:05 web caddy[123]: {caddy('/door', 302)}"],
    "journal as JSON": entry(MESSAGE=combined("GET /door HTTP/1.1", 302), SYSLOG_IDENTIFIER="nginx"),
    "Docker": entry(log=combined("GET /door HTTP/1.1", 302) + "\n", stream="stdout", time="2024-03-01T09:00:06Z"),
    "Kubernetes": [f"2024-03-01T09:00:06Z stdout F {combined('GET /door HTTP/1.1', 302)}"],
    "Caddy with other keys first": [json.dumps(dict(reversed(json.loads(caddy("/door", 302)).items())))],
    "Traefik": entry(
        ClientHost="192.0.2.1", DownstreamStatus=302, RequestMethod="GET", RequestPath="/door",
        StartUTC="2024-03-01T09:00:05.123456789Z", time="2024-03-01T10:00:05+01:00", **{"request_User-Agent": AGENT},
    ),
    "nginx as JSON": entry(
        time_local="01/Mar/2024:10:00:05 +0100", remote_addr="192.0.2.1", request="GET /door HTTP/1.1", status=302,
        http_user_agent=AGENT,
    ),
    "Cloudflare": entry(
        ClientIP="192.0.2.1", ClientRequestMethod="GET", ClientRequestURI="/door?u=1", EdgeResponseStatus=302,
        EdgeStartTimestamp=1709283605000000000, ClientRequestUserAgent=AGENT,
    ),
    "Fastly": entry(
        timestamp="2024-03-01T09:00:05+0000", client_ip="192.0.2.1", url="/door", request_method="GET",
        request_user_agent=AGENT, response_status=302,
    ),
    "Vercel": entry(
        id="1", timestamp=1709283605000,
        proxy={"method": "GET", "path": "/door", "userAgent": [AGENT], "statusCode": 302, "clientIp": "192.0.2.1"},
    ),
    "Vercel's dashboard": entry(
        TimeUTC="2024-03-01 09:00:05", timestampInMs=1709283605000, requestPath="/door", requestMethod="GET",
        responseStatusCode=302, requestUserAgent=AGENT,
    ),
    "Netlify": entry(
        timestamp="2024-03-01T09:00:05.000Z", client_ip="192.0.2.1", method="GET", path="/door", status_code=302,
        url="https://go.example.com/door", user_agent=AGENT,
    ),
    "CloudFront as JSON": [json.dumps(dict(zip(CLOUDFRONT.split(), LOGS["CloudFront"][2].split("\t"), strict=True)))],
    "Google Cloud": [json.dumps([{"insertId": "1", "timestamp": "2024-03-01T09:00:05.1Z", "httpRequest": {
        "requestMethod": "GET", "requestUrl": "https://go.example.com/door", "status": 302, "userAgent": AGENT,
        "remoteIp": "192.0.2.1"}}, "x"], indent=1)],
}  # fmt: skip


MANY = [
    {"timestamp": f"2024-03-0{day}T09:00:05Z", "method": "GET", "path": "/door", "status": 302, "user_agent": AGENT}
    for day in (1, 2, 3)
]


@pytest.fixture
def shop(new_store):
    portfolio = portfolio_in(new_store, base_url=GO)
    portfolio.insert_qrcode("https://example.com", short_code="door")
    return portfolio


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("lines", LOGS.values(), ids=LOGS.keys())
def test_redirects_of_a_log_are_visits(shop, lines, end):
    result = shop.import_scans(end.join([*lines, ""]).encode())
    assert (result.created, result.issues) == (1, ())
    (visit,) = shop.scans.to_frame().to_dict("records")
    assert (f"{visit['time']:%H:%M:%S}", visit["referrer"], visit["system"]) == ("09:00:05", "t.co", "iOS")
    assert "192.0.2.1" not in str(visit)


@pytest.mark.parametrize("format", ["csv", "json"])
@pytest.mark.parametrize("lines", MORE.values(), ids=MORE.keys())
def test_logs_of_more_servers_are_read(shop, lines, format):
    """Of services that write objects, requests that were not redirected were visits; logs of others were refused."""
    result = shop.import_scans("\n".join([*lines, ""]).encode(), format=format)
    assert (result.created, [row for row, _ in result.issues if row]) == (1, [])
    (visit,) = shop.scans.to_frame().to_dict("records")
    assert f"{visit['time']:%H:%M:%S}" == "09:00:05"
    assert visit["system"] == "iOS" or "haproxy" in lines[0]
    assert "192.0.2.1" not in str(visit)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("envelope", "visits"),
    [({"entries": MANY}, 3), ({"took": 1, "hits": {"hits": [{"_source": one} for one in MANY]}}, 3), (MANY[0], 1)],
    ids=["entries", "Elasticsearch", "one"],
)
def test_requests_in_an_envelope_are_read(shop, envelope, visits, indent):
    """Of a list in an object, the first request alone was read; of an object on many lines, none."""
    assert shop.import_scans(json.dumps(envelope, indent=indent).encode(), format="json").created == visits


@pytest.mark.parametrize("line", [json.dumps(MANY[0] | {"status": 200}), combined("HEAD /door HTTP/1.1", 302)])
def test_a_log_without_redirects_is_told(shop, line):
    """Nothing was added, without a word on why."""
    result = shop.import_scans(f"{line}\n{line}\n".encode())
    assert (result.created, [row for row, _ in result.issues]) == (0, [0])
    assert "answered with status 301, 302, 303, 307, 308 are visits" in result.issues[0][1]


def test_an_object_behind_a_request_is_no_request(shop):
    line = combined("GET /door HTTP/1.1", 302) + ' {"trace": "x"}'
    assert shop.import_scans(line.encode()).created == 1


def test_local_times_of_a_log_are_reported(shop):
    result = shop.import_scans(MORE["HAProxy"][0].encode())
    assert [(row, "are read in UTC" in detail) for row, detail in result.issues] == [(0, True)]


def test_the_command_recognizes_a_log(tmp_path, capsys):
    store, file = str(tmp_path / "s.duckdb"), tmp_path / "access.log"
    with open_portfolio(store, base_url=GO) as shop:
        shop.insert_qrcode("https://example.com", short_code="door")
    file.write_text("\n".join(LOGS["nginx"]), encoding="utf-8")
    assert main(["import", str(file), "--store", store]) == 0
    assert "1 visit added" in capsys.readouterr().out


@pytest.mark.parametrize(("status", "visits"), [(300, 0), (303, 1), (304, 0), (305, 0), (307, 1), (308, 1)])
def test_only_redirects_are_visits(shop, status, visits):
    assert shop.import_scans(f"{combined('GET /door HTTP/1.1', status)}\n".encode()).created == visits


@pytest.mark.parametrize(
    ("first", "line"),
    [
        (combined("-", 408), combined("GET /door HTTP/1.1", 302)),
        (combined(r"\x16\x03\x01", 400), combined("GET /door HTTP/1.1", 302)),
        ('{"level": "info", "ts": 1.5, "msg": "serving initial configuration"}', caddy("/door", 302)),
    ],
)
def test_the_first_line_of_a_log_may_be_no_request(shop, first, line):
    assert shop.import_scans(f"{first}\n{line}\n".encode()).created == 1


@pytest.mark.parametrize("comment", ["#Date: 2024-03-01", "#Fields: a,b", "#Software: Excel"])
def test_comments_above_a_table_make_no_log(shop, comment):
    assert shop.import_scans(f"{comment}\nshort_code,time\ndoor,2024-03-01 09:00\n".encode()).created == 1


def test_a_log_without_the_fields_of_visits_is_refused(shop):
    with pytest.raises(UnreadableFile, match="short code or short URL"):
        shop.import_scans(b"#Version: 1.0\n#Fields: date time cs-uri-stem\n2024-03-01 09:00:05 /door\n")


def test_fields_of_a_log_that_change_are_told(shop):
    lines = [*LOGS["IIS"], "#Fields: date time cs-uri-stem", "2024-03-01 09:00:05 /door", ""]
    result = shop.import_scans("\n".join(lines).encode())
    assert (result.created, [row for row, _ in result.issues]) == (1, [5])
    assert "does not name cs-method, sc-status" in result.issues[0][1]


def test_a_redirect_of_another_path_is_reported(shop):
    result = shop.import_scans(f"{combined('GET /gate HTTP/1.1', 302)}\n".encode())
    assert [(row, "'/gate' is not a short code" in detail) for row, detail in result.issues] == [(1, True)]


def test_a_redirect_that_cannot_be_read_is_reported_without_its_address(shop):
    lines = [combined("GET /door HTTP/1.1", 302), '203.0.113.9 - - [01/Mar/24 10:00] "GET /door HTTP/1.1" 302 5']
    result = shop.import_scans("\n".join(lines).encode())
    assert (result.created, [row for row, _ in result.issues]) == (1, [2])
    assert "status of a redirect" in result.issues[0][1] and "203.0.113.9" not in result.issues[0][1]


@pytest.mark.parametrize(
    "line",
    [
        *('"' * 99, "[" * 99, 'a "\\" "\\"' * 9, '[01/Mar/2024:10:00:05 +0100] "GET /', "method=" + "a" * 99),
        *('method="\\" ', "2024-03-01 10:00:05" * 9, '"GET /'),
    ],
)
def test_hostile_lines_are_read_in_linear_time(shop, line):
    good = combined("GET /door HTTP/1.1", 302)
    began = process_time()
    assert not access_logs.is_log(line.encode() * 10_000)
    assert shop.import_scans("\n".join([good, line * 10_000, *[line] * 10_000]).encode(), check=True).created == 1
    assert process_time() - began < 1


@pytest.mark.parametrize(
    "lines", [[*LOGS["CloudFront"], "2024-03-01\t09:00:05\tFRA2"], [*LOGS["Caddy"][:3], caddy("/door", 302)[:150]]]
)
def test_a_line_that_was_cut_off_is_reported(shop, lines):
    result = shop.import_scans("\n".join(lines).encode())
    assert (result.created, [row for row, _ in result.issues]) == (1, [len(lines)])


@pytest.mark.parametrize(
    ("second", "status", "agent", "visits"),
    [(5, 302, AGENT, 1), (12, 307, AGENT, 1), (30, 302, AGENT, 2), (6, 301, AGENT, 2), (6, 302, "other", 2)],
)
def test_a_redirect_to_https_and_the_next_one_are_one_visit(shop, second, status, agent, visits):
    """Each visit that began with http counted twice."""
    after = combined("GET /door HTTP/2.0", status).replace("00:05", f"00:{second:02}").replace(AGENT, agent)
    lines = [combined("GET /door HTTP/1.1", 301), combined("GET /x HTTP/1.1", 404), after]
    assert shop.import_scans("\n".join(lines).encode()).created == visits


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_redirects_of_another_address_are_other_visits(shop, address):
    """A visitor with the same phone disappeared behind the redirect to https of another one."""
    lines = [combined("GET /door HTTP/1.1", status, "go.example.com:80 ") for status in (301, 301, 302, 302)]
    lines[1::2] = [line.replace("192.0.2.1", "198.51.100.7") for line in lines[1::2]]
    text = "\n".join(lines).replace("192.0.2.1", address).replace(":80 198", ":443 198")
    assert shop.import_scans(text.encode()).created == 2


@pytest.mark.parametrize("between", ["\t", " "])
def test_empty_values_at_the_end_of_a_line_cost_no_visit(shop, between):
    """The last tab of a line was taken away, so that each line counted as one that was cut off."""
    fields = "#Fields: date time cs-method cs-uri-stem sc-status cs(User-Agent)"
    line = between.join(["2024-05-01", "10:00:00", "GET", "/door", "302", ""])
    result = shop.import_scans("\n".join([fields, line, line.replace("10:00", "11:00"), ""]).encode())
    assert (result.created, result.issues) == (2 if between == "\t" else 1, () if between == "\t" else result.issues)


REQUEST = '127.0.0.1:54321 - "GET /door HTTP/1.1" 302 Found'
CONSOLE = {
    "Uvicorn": f"2024-03-01 09:00:05,000 INFO:     {REQUEST}",
    "Flask": '127.0.0.1 - - [01/Mar/2024 09:00:05] "GET /door HTTP/1.1" 302 -',
    "Django": '[01/Mar/2024 09:00:05] "GET /door HTTP/1.1" 302 0',
    "Caddy": f"2024/03/01 09:00:05.000\tinfo\thttp.log.access\thandled request\t{caddy('/door', 302)}".replace(
        '"ts": 1709283605.25, ', ""
    ),
    "Lograge": "2024-03-01 09:00:05 method=GET path=/door format=html status=302 duration=58.33",
}


@pytest.mark.parametrize("line", CONSOLE.values(), ids=CONSOLE.keys())
def test_console_lines_are_read_and_the_missing_time_zone_is_reported(shop, line):
    result = shop.import_scans(f"a server has started\n{line}\n{line.replace('302', '404')}\n".encode(), format="log")
    assert (result.created, [issue[1][:28] for issue in result.issues]) == (1, ["times without an offset, suc"])
    assert str(shop.scans.to_frame()["time"][0]) == "2024-03-01 09:00:05+00:00"


@pytest.mark.parametrize("offset", ["Z", "+01:00", " +0100"])
def test_no_time_zone_is_reported_for_lines_with_an_offset(shop, offset):
    line = f"2024-03-01T10:00:05.1{offset} INFO:     {REQUEST}"
    assert shop.import_scans(line.encode(), format="log").issues == ()


def test_lines_without_a_time_are_reported(shop):
    result = shop.import_scans(f"INFO:     {REQUEST}\nINFO:     {REQUEST}\n".encode(), format="log")
    told = [(row, "has no time" in rule) for row, rule in result.issues if row]
    assert (result.created, told) == (0, [(1, True), (2, True)])


def test_fields_of_a_line_may_be_pairs(shop):
    line = (
        '2024-03-01T09:00:05.1+00:00 heroku[router]: at=info method=GET path="/door" fwd="192.0.2.1" status=302 bytes=1'
    )
    assert shop.import_scans(line.encode(), format="log").created == 1


@pytest.mark.parametrize("agent, kind", [(AGENT, "scan"), ("Googlebot/2.1", "bot")])
def test_envoys_user_agent_is_found_behind_its_transport_failure(shop, agent, kind):
    """The address of the visitor was taken for the user agent, so bots counted as scans."""
    rest = f'302 - via_upstream - "-" 0 0 2 1 "192.0.2.1" "{agent}" "uuid" "go.example.com" "10.0.0.1:80" x - default'
    line = f'[2024-03-01T09:00:05.310Z] "GET /door HTTP/1.1" {rest}'
    shop.import_scans(line.encode(), format="log")
    assert shop.scans.where(kinds=["scan", "bot"]).to_frame()["kind"].tolist() == [kind]


@pytest.mark.parametrize("name", ["access.log.1", "access.log.2.gz", "access.log-20240301.gz"])
def test_rotated_logs_are_read(shop, tmp_path, name):
    data = combined("GET /door HTTP/1.1", 302).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert shop.import_scans(tmp_path / name).created == 1


FROM_ELSEWHERE = combined("GET /door HTTP/1.1", 302).replace("t.co/x", "pay.example/?method=card")


@pytest.mark.parametrize("line", [combined("GET /door?method=email HTTP/1.1", 302), FROM_ELSEWHERE])
def test_a_parameter_of_an_address_is_no_pair(shop, line):
    """Each visit of such an address was lost, and nothing was said."""
    assert shop.import_scans(line.encode(), format="log").created == 1


def test_a_line_without_a_time_and_with_such_a_parameter_is_told(shop):
    result = shop.import_scans(f"{REQUEST}\n{REQUEST.replace('/door', '/door?method=email')}\n".encode(), format="log")
    assert [row for row, rule in result.issues if "has no time" in rule] == [1, 2]


FORGED = "/door?d=2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"method": "GET", "uri": FORGED, "status": 302, "datetime": "2024-03-01T09:00:05+00:00"}),
        f'2024-03-01T09:00:05Z app: method=GET path="{FORGED}" status=302',
        f'path="{FORGED}" method=GET status=302 time=2024-03-01T09:00:05Z',
    ],
    ids=["JSON", "pairs", "pairs with a time"],
)
def test_a_date_in_an_address_is_no_time_of_a_visit(shop, line):
    """Visitors could choose when they had come."""
    assert shop.import_scans(line.encode(), format="log").created == 1
    assert str(shop.scans.to_frame()["time"][0]) == "2024-03-01 09:00:05+00:00"


@pytest.mark.parametrize(
    "line", [json.dumps({"method": "GET", "uri": FORGED, "status": 302}), f'method=GET path="{FORGED}" status=302']
)
def test_a_date_in_an_address_is_no_time_where_there_is_none(shop, line):
    with suppress(UnreadableFile):
        shop.import_scans(line.encode(), format="log")
    assert shop.scans.to_frame().empty


@pytest.mark.parametrize("name", ["start_time", "startTime", "eventTime", "@t", "t", "date", "moment.of-it"])
@pytest.mark.parametrize("pattern", ['{{"method":"GET","uri":"/door","status":302,"{}":"{}"}}', "{}={} {}"])
def test_the_time_of_a_visit_may_have_any_name(shop, name, pattern):
    """Such lines were silently left out."""
    line = pattern.format(name, "2024-03-01T09:00:05Z", "method=GET path=/door status=302")
    result = shop.import_scans(line.encode(), format="log")
    assert (result.created, result.issues) == (1, ())
    assert str(shop.scans.to_frame()["time"][0]) == "2024-03-01 09:00:05+00:00"


@pytest.mark.parametrize(
    "line",
    [
        {"status": 302, "user_agent": "2020-01-01T00:00:00Z"},
        {"status": 302, "referer": "2020-01-01T00:00:00Z"},
        {"status": 302, "took": "4 ms"},
    ],
    ids=["agent", "referrer", "none"],
)
def test_a_redirect_without_a_time_of_its_own_is_reported(shop, line):
    request = {"method": "GET", "uri": "/door"}
    timed = request | {"status": 302, "time": "2024-03-01T09:00:05Z"}
    result = shop.import_scans("\n".join(map(json.dumps, [timed, request | line])).encode(), format="log")
    assert (result.created, [(row, "has no time" in rule) for row, rule in result.issues]) == (1, [(2, True)])


def test_other_requests_without_a_time_are_not_reported(shop):
    timed = {"method": "GET", "uri": "/door", "status": 302, "time": "2024-03-01T09:00:05Z"}
    others = [{"method": "GET", "uri": "/", "status": 200}, {"method": "POST", "uri": "/door", "status": 302}]
    result = shop.import_scans("\n".join(map(json.dumps, [timed, *others])).encode(), format="log")
    assert (result.created, result.issues) == (1, ())
