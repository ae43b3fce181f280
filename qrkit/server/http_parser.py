"""What is taken as HTTP: waitress's parser, and refusals of whatever two servers might read in two ways.

A request that a proxy ends in one place and this server in another is how requests are smuggled past the proxy. So the
length of a body is told in one way only, lines end in CR LF, and a host is named once (RFC 9112, sections 2 to 7).
Import this module late: it loads waitress.
"""

from __future__ import annotations

import re
import string
import time
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest

__all__ = ["StrictChunks", "StrictParser"]

LONGEST_CHUNK_LINE = 1_024
"""Of a size with its extensions, in bytes."""
LONGEST_TRAILER = 8_192
"""Of all fields that follow the last chunk, in bytes; nobody reads them."""

TOKEN = (string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~").encode()
VERSIONS = ("1.0", "1.1")
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:;[\t -~\x80-\xff]*)?")
HOST = re.compile(rb"[A-Za-z0-9._~%!$&'()*+,;=:\[\]-]*")
CONTROLS = re.compile(rb"[\x00-\x1f\x7f]")
NOT_ASCII = re.compile(rb"[\x80-\xff]")


class StrictParser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """Reads one request; `began` is when its first byte came, by the clock of `time.monotonic`."""

    # For requests that are refused before these are known.
    command = ""
    path = ""
    body_rcv: Any = None
    has_begun = False

    def __init__(self, adj: object) -> None:
        super().__init__(adj)
        self.began = time.monotonic()

    def received(self, data: bytes) -> int:
        """Take bytes of the connection; gives how many of them belong to this request."""
        if not self.has_begun and (start := data.lstrip(b"\r\n")):
            self.has_begun = True
            if start[:1] not in TOKEN:
                # TLS or noise may never hold the empty line for which waitress would wait.
                self.error = BadRequest("it does not begin with a method")
                self.completed = True
                return len(data)
        taken: int = super().received(data)
        if self.completed:
            # There is nothing to wait for. waitress would forget that a refused request is complete.
            self.expect_continue = False
        return taken

    def parse_header(self, header_plus: bytes) -> None:
        """Read the first line and the fields.

        Raises:
            ParsingError: They are not what RFC 9112 asks for.
        """
        first, end, fields = header_plus.partition(b"\r\n")
        plain = _in_ascii(first)
        try:
            super().parse_header(plain + end + fields)
        except ValueError as error:
            # Of urlsplit on half an IPv6 address, of int on thousands of digits.
            raise ParsingError("a number or an address in it cannot be read") from error
        if plain != first:
            # As it was sent: who reads it has to tell raw bytes from encoded ones.
            self.query = first.split(b" ")[1].partition(b"#")[0].partition(b"?")[2].decode("latin-1")
        pairs = [line.partition(b":")[::2] for line in fields.split(b"\r\n") if line]
        lines = [(name.lower(), value.strip(b" \t")) for name, value in pairs]
        self._check_target()
        self._check_host([value for name, value in lines if name == b"host"])
        self._check_length(dict.fromkeys(name for name, _ in lines), lines)
        if any(name[:1] in (b" ", b"\t") for name, _ in lines):
            raise ParsingError("a header is folded over two lines")

    def _check_target(self) -> None:
        if self.version not in VERSIONS:
            raise ParsingError("its version is neither HTTP/1.0 nor HTTP/1.1")
        if CONTROLS.search(self.first_line):
            raise ParsingError("its first line holds control characters")
        if self.proxy_netloc and not self.path:
            self.path = "/"
        if not self.path.startswith("/"):
            raise ParsingError("its target is not a path")

    def _check_host(self, hosts: list[bytes]) -> None:
        if len(hosts) > 1 or (self.version == "1.1" and not hosts):
            raise ParsingError("the host must be named exactly once")
        if hosts and not HOST.fullmatch(hosts[0]):
            raise ParsingError("its host is not a name or an address")

    def _check_length(self, names: dict[bytes, None], lines: list[tuple[bytes, bytes]]) -> None:
        encodings = [value.lower() for name, value in lines if name == b"transfer-encoding"]
        if not encodings:
            return
        if b"content-length" in names:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        if self.version != "1.1" or encodings != [b"chunked"]:
            raise ParsingError("the only Transfer-Encoding is chunked, given once, in HTTP/1.1")
        self.body_rcv = StrictChunks(self.body_rcv.getbuf())


def _in_ascii(line: bytes) -> bytes:
    """A first line whose target is percent-encoded: old clients and curl send UTF-8 as it is (ruling H8).

    Raises:
        ParsingError: It is not UTF-8.
    """
    method, space, rest = line.partition(b" ")
    if rest.isascii() or not rest.startswith(b"/"):
        return line
    try:
        rest.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParsingError("its target is not UTF-8") from error
    return method + space + NOT_ASCII.sub(lambda found: b"%%%02X" % found[0][0], rest)


class StrictChunks(ChunkedReceiver):  # type: ignore[misc]  # waitress has no types
    """Reads a chunked body: each line ends in CR LF and is short, and no byte is looked at more often than needed."""

    _reads = "size"  # what the next line is: "size", "end" of a chunk, or "trailer"
    _line = b""
    _due = 0
    _trailer_length = 0

    def received(self, data: bytes) -> int:
        """Take bytes of the connection; gives how many of them belong to this body."""
        at = 0
        while at < len(data) and not self.completed and not self.error:
            if self._due:
                piece = data[at : at + self._due]
                self.buf.append(piece)
                self._due -= len(piece)
                at += len(piece)
            else:
                at = self._take_line(data, at)
        return at

    def _take_line(self, data: bytes, at: int) -> int:
        end = data.find(b"\n", at)
        until = len(data) if end < 0 else end + 1
        self._line += data[at:until]
        if len(self._line) > LONGEST_CHUNK_LINE:
            self.error = BadRequest("a line between its chunks is too long")
        elif end >= 0:
            line, self._line = self._line, b""
            self._read(line)
        return until

    def _read(self, line: bytes) -> None:
        text = line.removesuffix(b"\r\n")
        size = CHUNK_SIZE.fullmatch(text)
        if text == line or CONTROLS.search(text.replace(b"\t", b"")):
            self.error = BadRequest("a line between its chunks holds control characters")
        elif self._reads == "trailer":
            self._trailer_length += len(line)
            self.completed = not text
            if self._trailer_length > LONGEST_TRAILER:
                self.error = BadRequest("what follows its last chunk is too long")
        elif self._reads == "end":
            self._reads = "size"
            if text:
                self.error = BadRequest("a chunk is longer than its size")
        elif size:
            self._due = int(size[1], 16)
            self._reads = "end" if self._due else "trailer"
        else:
            self.error = BadRequest("the size of a chunk is not a hexadecimal number")
