"""The headers of a request, as handlers read them."""

import pytest

from qrkit.server.requests.request import headers_of

ENVIRON = {
    "REQUEST_METHOD": "POST",
    "CONTENT_TYPE": "text/csv",
    "HTTP_HOST": "qr.example",
    "HTTP_IF_NONE_MATCH": '"a"',
    "wsgi.url_scheme": "http",
}


def test_headers_are_those_of_the_environment_by_lower_case_name():
    headers = headers_of(ENVIRON)
    assert dict(headers) == {"content-type": "text/csv", "host": "qr.example", "if-none-match": '"a"'}
    assert len(headers) == 3
    assert headers == dict(headers)


def test_only_headers_that_can_be_read_are_listed():
    headers = headers_of({"HTTP_CONTENT_TYPE": "text/html", "HTTP_CONTENT_LENGTH": "5", "HTTP_HOST": "qr.example"})
    assert dict(headers) == {"host": "qr.example"}


@pytest.mark.parametrize("name", ["accept", "content-length", "request-method", "method", "wsgi.url-scheme", ""])
def test_a_header_that_was_not_sent_is_missing(name):
    headers = headers_of(ENVIRON)
    assert name not in headers
    assert headers.get(name) is None
    assert headers.get(name, "-") == "-"
    with pytest.raises(KeyError):
        headers[name]
