"""Import rows into a portfolio: validate each row, and decide what becomes of it.

An import needs the rows of a file and a few texts about the portfolio, but no store, so another process can do all of
it but the inserts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property, lru_cache
from urllib.parse import urlsplit

from qrkit.contents.gs1_paths import is_gs1_key
from qrkit.contents.suspicious_links import link_warning, meant_url
from qrkit.errors import ContentTooLong, InvalidParameter, UnreadableFile, counted, first_of, nearest
from qrkit.exchange import SHEETS, Reading, sniffed
from qrkit.exchange.archives import SIGNATURE, gunzipped
from qrkit.exchange.columns import Row, Rows
from qrkit.exchange.locating import ANYWHERE, Place
from qrkit.exchange.merge import ImportIssue, ImportResult, issue_of, merge
from qrkit.exchange.sheets import File, table_of_files
from qrkit.exchange.table_files import HARDLY_ANYTHING_ELSE, MOST_BYTES, MOSTLY, Table, codes_of, share_of_addresses
from qrkit.exchange.zip_file import MOST_READ_SIDE, tables_in
from qrkit.late import UNSEEN, Watch
from qrkit.portfolio.code_pictures import check_drawable, fits, fitting, links_of
from qrkit.portfolio.exporting import Listing
from qrkit.portfolio.trackable import (
    check_change,
    check_trackable,
    contents_of_code,
    titles_read_from_code,
    unanswered_rules,
)
from qrkit.portfolio.updating import Identified, changes_of
from qrkit.store.records.json_rows import read_campaigns, read_pairs
from qrkit.store.records.qrcodes import StoredRow, stored_row
from qrkit.symbol.decode import decode
from qrkit.tracking.names import Spellings, tidy_name
from qrkit.tracking.records import SCAN_MARKER, Campaign, Properties, QRCode, encoded_text
from qrkit.tracking.short_urls import (
    Claims,
    ShortLink,
    host_of,
    is_short_code,
    new_id,
    new_ids,
    new_short_code,
    read_short_url,
    shared_paths,
    short_url,
    slug,
    tidy_code,
    with_scheme,
)

MOST_TAKEN = 10
"""Rows whose short codes are in use, or files of an archive, that an error lists."""
TOGETHER = 2_500
"""Number of QR Codes that are added at once: of more, most would live long enough to be looked at by each garbage
collection; fewer cost more statements."""

NO_CONTENT = re.compile(
    r"[\W_]{0,40}(?:(?:n[./ ]{0,2}a|n/?v|k\.? ?a|tb[acd]|to be (?:announced|confirmed|defined)|none|nothing|null|nil"
    r"|nan|nat|undefined|empty|blank|missing|unknown|pending|no ?(?:url|link|web ?site|address|page)"
    r"|(?:not )?available|not (?:applicable|set|yet)|coming soon|to ?do|x{2,4}|0+(?:[.,]0+)?|false"
    r"|ref|value|name|div/0|num|getting_data|spill|calc)[\W_]{0,40})?",
    re.IGNORECASE,
)
"""Matches what people and programs write into a cell that has no address, and texts without letters and digits."""

_NO_SCHEME = re.compile(r"(?!(?!file:)[a-z][a-z0-9+.-]+:(?! )).*", re.IGNORECASE | re.DOTALL)
"""Matches texts, and paths of files, but no address of any kind, and no content such as WIFI: or BEGIN:VCARD."""
_OF_AN_APP = re.compile(r"(?!(?:https?|upi|file|h?t{1,3}ps?):)[a-z][a-z0-9+.-]{1,60}://\S+", re.IGNORECASE)
_OF_A_BROWSER = re.compile(r"(?:javascript|vbscript|data|blob|about|view-source):(?! ).*", re.IGNORECASE | re.DOTALL)
NO_CODES = re.compile(r"--?|#?n/?a|nan|none|null|nil|tb[cd]|[0-9]([.,][0-9]+)?e\+[0-9]{2}", re.IGNORECASE)
"""What people write into a column of short codes where there is none, and what a spreadsheet makes of a long number."""
Add = Callable[[Sequence[Campaign], Sequence[StoredRow]], None]
"""Adds new campaigns, then QR Codes."""


@dataclass(frozen=True, slots=True)
class Present:
    """What an import has to know of a portfolio, as texts that the database writes (`qrkit.store.records.json_rows`).

    `contents` has the name and the content of every QR Code. The short codes (all that were ever assigned), the tails
    by short code, and the number of the QR Code that was stored last are those of any account. `template` is for rows
    that name none. The old base URLs were printed before; their short codes are what follows their paths. `qrcodes` is
    empty unless the import may change them.
    """

    base_url: str
    now: datetime
    campaigns: str
    contents: str
    short_codes: str
    templates: Sequence[str] = ()
    template: str = ""
    last: int = 0
    tails: str = "[]"
    ignores_case: bool = False
    old_base_urls: Sequence[str] = ()
    qrcodes: Sequence[str] = ()


def read_table(
    data: bytes,
    format: str,
    columns: Mapping[str, str] | None = None,
    *,
    seen: Watch = UNSEEN,
    place: Place = ANYWHERE,
) -> Table:
    """Read the rows of a file; the first bytes of workbooks and zip archives say more than the format.

    Columns map our names to those of a file with rows; without them, it has our names.
    """
    data = gunzipped(data, MOST_BYTES)
    files, issues = tables_in(data) if data.startswith(SIGNATURE) else ([], [])
    names = [name for name, _, _ in files]
    if len(files) < 2:
        files = [("", *files[0][1:]) if files else ("", format, data)]
    try:
        is_of_rows = columns or len(files) > 1
        table = table_of_files(files, columns or {}, place) if is_of_rows else _table_of(files[0], seen, place)
    except UnreadableFile as error:
        if names:
            others = (issue.detail for issue in issues[:MOST_TAKEN])
            error.args = ("; ".join([f"{', '.join(map(repr, names[:MOST_TAKEN]))} in the archive: {error}", *others]),)
        raise
    table.issues.extend(issues)
    return table


def _table_of(file: File, seen: Watch, place: Place) -> Table:
    _, format, data = file
    how = Reading(lambda picture: decode(picture, most_side=MOST_READ_SIDE, effort="quick").content, seen, place)
    chosen = sniffed(data, format)
    place.check("" if chosen.name in SHEETS and chosen.name != "json" else chosen.name)
    return chosen.read(data, how)


def import_table(
    table: Table,
    present: Present,
    add: Add,
    seen: Watch = UNSEEN,
    *,
    fix_urls: bool = False,
    campaign: str = "",
    anyway: bool = True,
    update_by: str = "",
) -> ImportResult:
    """Decide what becomes of the rows of a table, and add the QR Codes of those that are imported.

    `add` is called several times. `campaign` is the name for rows that name none. Unless `anyway` is true, short codes
    in use raise UnreadableFile. `update_by` is what identifies the QR Codes that rows change, as for `Identified`; ""
    to change none.
    """
    importing = _Importing(present, table, add, tidy_name(campaign or ""))
    codes = codes_of(table, present.now, seen)
    if fix_urls:
        codes = map(_completed, codes)
    if update_by:
        there = Listing(present.base_url, present.campaigns, present.qrcodes).qrcodes()
        codes = importing.updated(codes, update_by, there)
    result = merge(codes, read_pairs(present.contents), importing.has_own_code, importing.insert)
    importing.finish()
    if not anyway:
        _check_codes_kept(result)
    issues = sorted((*result.issues, *importing.folder_issues(table.rows)), key=lambda issue: issue.row)
    hosts = dict(importing.other_hosts.most_common())
    updates = tuple(importing.updates)
    return replace(result, issues=tuple(issues), other_hosts=hosts, kept_codes=importing.kept_codes, updates=updates)


def _check_codes_kept(result: ImportResult) -> None:
    """Check that no short code of a file is in use by another QR Code; the error lists the first ones."""
    taken = [issue for issue in result.issues if issue.reason == "code-taken"]
    if not taken:
        return
    shown = first_of([f"row {issue.row}: {issue.detail.partition(';')[0]}" for issue in taken], MOST_TAKEN, "; ")
    rule = f"codes printed with {counted(len(taken), 'short code')} of the file would lead to other QR Codes: {shown}"
    raise UnreadableFile(f"{rule}; nothing was imported").advising(
        {
            "command": "with --update-by short_url, these rows change those codes; with --anyway, they add codes",
            "python": "With update_by='short_url', these rows change those codes; with anyway=True, they add codes.",
            "page": "to change those QR Codes, match them by short URL",
        }
    )


class _Importing:
    """One import; call `finish` at the end to add the remaining rows."""

    def __init__(self, present: Present, table: Table, add: Add, campaign: str) -> None:
        self._present, self._add, self._default_campaign = present, add, campaign
        tails = {code: slug(words) for code, words in read_pairs(present.tails)}
        self._claims = Claims(present.short_codes.split(), tails, ignores_case=present.ignores_case)
        self._templates = frozenset(present.templates)
        self._campaigns = {one.name: one.id for one in reversed(read_campaigns(present.campaigns))}
        self._spellings = Spellings([*map(tidy_name, reversed(self._campaigns))])
        self._new_campaigns: list[Campaign] = []
        self._waiting: list[StoredRow] = []
        self._read_link = _reader_of_links(table, present)
        texts = [(row.cells.get("Content", ""), row.cells.get("Trackable URL", ""), row.error) for row in table.rows]
        self._urls = {url for content, url, error in texts if content and url and not error}
        addresses = share_of_addresses([content for content, _, _ in texts if not NO_CONTENT.fullmatch(content)])
        self._no_address = NO_CONTENT if addresses >= MOSTLY else None
        if table.of_links or addresses >= HARDLY_ANYTHING_ELSE:
            self._no_address = _NO_SCHEME
        self._own_hosts = {"", host_of(present.base_url)}
        self._base_hosts = self._own_hosts | {host_of(url) for url in present.old_base_urls}
        self._has_folders = False
        self.other_hosts, self.kept_codes = Counter[str](), 0
        self.updates: list[tuple[QRCode, QRCode]] = []

    def has_own_code(self, code: QRCode) -> bool:
        """Return whether the short URL of a row contains a short code that is not in use."""
        return self._is_free(self._link(code.short_url), code.short_url)

    def updated(
        self, codes: Iterable[tuple[Row, QRCode] | ImportIssue], by: str, there: Iterable[QRCode]
    ) -> Iterator[tuple[Row, QRCode] | ImportIssue]:
        """Yield the rows of new QR Codes, and the issues of those that change a QR Code, which `updates` collects."""
        identified = Identified(by, there, self._read_link, self._base_hosts)
        for read in codes:
            if isinstance(read, ImportIssue):
                yield read
                continue
            row, code = read
            try:
                before = identified.match(row, code)
                issues = [*self._update(row, code, before)] if before else []
            except (InvalidParameter, ContentTooLong) as error:
                yield issue_of(row, code, "invalid", str(error))
            else:
                yield from issues if before else [read]

    def _update(self, row: Row, code: QRCode, before: QRCode) -> Iterator[ImportIssue]:
        """Collect the changes that a row makes to a QR Code, and yield what could not be kept."""
        changes, template = changes_of(row, code, before), self._template_of(code)
        if not template:
            changes.pop("template", None)
        after = before.replace(**changes)
        after = after.model_copy(update=links_of(vars(after), self._present.base_url))
        check_change(before, after)
        campaign_id, similar = self._campaign(row, code, "")
        after = after.replace(campaign_id=campaign_id) if campaign_id else after
        if after == before:
            yield issue_of(row, code, "duplicate", f"this row changes nothing in {before.name!r}")
            return
        self.updates.append((before, after))
        notes = tuple(note for note in row.notes if note[0] not in ("date-unreadable", "count-unreadable"))
        yield from self._issues(row._replace(notes=notes), code, {"properties": code.properties, "template": template})
        yield from similar

    def insert(self, row: Row, code: QRCode, name: str) -> list[ImportIssue]:
        """Import a row as a QR Code under this name; return what could not be kept."""
        given = self._link(code.short_url)
        is_own = self._is_free(given, code.short_url)
        link = given if given and is_own else self._new_link(given.urlinfo if given else "")
        url = short_url(self._present.base_url, *link)
        try:
            named = code if name == code.name else code.replace(name=name)
            properties = _fitting(code, url)
            is_new = code.is_dynamic and not code.short_url and not row.cells.get("Scan Marker")
            is_marked = code.scan_marker or (is_new and fits(url + SCAN_MARKER, properties))
            # A short URL that may be printed is kept, even if its content cannot do what an app would do with it, or
            # a rule never takes effect.
            check_trackable(code, code if is_own else None)
            # Last, so that it is created only for a QR Code that is imported.
            campaign_id, similar = self._campaign(row, code, self._default_campaign)
        except (InvalidParameter, ContentTooLong) as error:
            return [issue_of(row, code, "invalid", str(error))]
        stored = stored_row(named)
        stored |= {
            "campaign_id": campaign_id,
            "short_code": link.code,
            "urlinfo": link.urlinfo,
            "template": self._template_of(code),
            "properties": properties,
            "scan_marker": is_marked,
        }
        self._waiting.append(stored)
        issues = [self._lost_code(row, code, url)] if code.short_url and not is_own else []
        issues += [*self._issues(row, code, stored), *similar]
        if code.is_dynamic and not code.short_url.startswith(f"{self._present.base_url}/"):
            self.other_hosts.update({host_of(with_scheme(code.short_url))} - self._own_hosts)
        self._claims.take(link)
        self._has_folders |= is_own and "/" in link.code
        self.kept_codes += is_own
        if len(self._waiting) == TOGETHER:
            self.finish()
        return issues

    def _issues(self, row: Row, code: QRCode, stored: StoredRow) -> Iterator[ImportIssue]:
        """Yield the issues of a row, apart from those of its short code."""
        for reason, detail in row.notes:
            yield issue_of(row, code, reason, detail)
        if stored["properties"] is not code.properties:
            yield issue_of(row, code, "changed", _what_changed(code.properties, stored["properties"]))
        if code.template and not stored["template"]:
            yield issue_of(row, code, "template-unknown", self._what_is_unknown(code.template))
        for problem in unanswered_rules(code.rules):
            yield issue_of(row, code, "rule-without-effect", str(problem))
        yield from _app_issues(row, code)
        yield from _address_issues(row, code, self._no_address)

    def _lost_code(self, row: Row, code: QRCode, url: str) -> ImportIssue:
        """Return the issue of a row whose short code cannot be kept, and which has a new short URL."""
        written = code.short_url.replace("%2F", "/")
        if self._link(code.short_url):
            return issue_of(row, code, "code-taken", f"{written!r} is already in use; the new one is {url}")
        rule = "has no short code that can be kept, so codes printed with it will not work"
        return issue_of(row, code, "code-unreadable", f"{written!r} {rule}; the new one is {url}")

    def _template_of(self, code: QRCode) -> str:
        if not code.template:
            return self._present.template
        return code.template if code.template in self._templates else ""

    def _what_is_unknown(self, template: str) -> str:
        near = nearest(template, self._present.templates) if self._present.templates else "the account has none"
        return f"Template={template!r} is not the name of a template, and was left out; {near}"

    def finish(self) -> None:
        """Add the QR Codes that are waiting to be added."""
        for row, id in zip(self._waiting, new_ids(len(self._waiting)), strict=True):
            row["id"] = id
        self._add(self._new_campaigns, self._waiting)
        self._new_campaigns, self._waiting = [], []

    def folder_issues(self, rows: Rows) -> Iterator[ImportIssue]:
        """Yield an issue for each host whose short URLs share a path that became part of their short codes."""
        if not self._has_folders:
            return
        written = {row.cells.get("Trackable URL", "").replace("%2F", "/"): row for row in reversed([*rows])}
        urls = {with_scheme(url): row for url, row in written.items()}
        for host, path in shared_paths(urls).items():
            if host not in self._base_hosts:
                row = next(row for url, row in reversed(urls.items()) if host_of(url) == host)
                rule = f"all short URLs of {host} have {path} in front, which is now part of their short codes"
                what = f"it is not if the old base URL is {with_scheme(host + path).rstrip('/')}"
                yield ImportIssue(row.number, "", "", "", "shared-path", f"{rule}; {what}")

    def _is_free(self, link: ShortLink | None, url: str = "") -> bool:
        """Return whether a short code is free: nobody uses it, and no other short URL of ours in the file has it."""
        if link is None or not self._claims.are_free(link):
            return False
        return link.code not in self._codes_here or (url != "" and self._is_here(url))

    def _is_here(self, url: str) -> bool:
        return host_of(with_scheme(url)) in self._own_hosts

    @cached_property
    def _codes_here(self) -> frozenset[str]:
        """The short codes of rows to import that are printed with the base URL: links of other hosts leave them.

        Without such links, there are none, which saves a second look at each short URL.
        """
        here = [url for url in self._urls if self._is_here(url)]
        found = map(self._read_link, here if len(here) < len(self._urls) else ())
        return frozenset(link.code for link in found if link)

    def _link(self, url: str) -> ShortLink | None:
        """Return the short code and the tail of a row; if another QR Code has the code, the tail may be part of it."""
        link = self._read_link(url)
        if link is None or not link.urlinfo or self._is_free(link, url):
            return link
        whole = _with_slash(link)
        return whole if self._is_free(whole, url) else link

    def _new_link(self, urlinfo: str) -> ShortLink:
        links = (ShortLink(code, urlinfo) for code in iter(new_short_code, ""))
        return next(link for link in links if self._is_free(link))

    def _campaign(self, row: Row, code: QRCode, default: str) -> tuple[str | None, list[ImportIssue]]:
        """Return the ID of a row's campaign (None without a name), made if new, and issues if names differ in case."""
        name, warning = tidy_name(row.cells.get("Campaign Name", "")) or default, ""
        if name and name not in self._campaigns:
            campaign = Campaign(id=new_id(), name=name, created=self._present.now)
            self._new_campaigns.append(campaign)
            self._campaigns[name] = campaign.id
            warning = self._spellings.warning(name, what="campaigns")
            self._spellings.add(name)
        return self._campaigns.get(name), [issue_of(row, code, "similar-name", warning)] if warning else []


def _reader_of_links(table: Table, present: Present) -> Callable[[str], ShortLink | None]:
    """Return a function that parses the short URL of a row, or its bare short code.

    `summer/2024` may be one code, or the code `summer` with a readable tail. It is one code if other rows begin with
    `summer`, too, because no two QR Codes have one code.
    """
    paths = {host_of(url): f"{urlsplit(url).path}/" for url in present.old_base_urls}

    @cache
    def shared_codes() -> frozenset[str]:
        urls = {with_scheme(row.cells.get("Trackable URL", "")) for row in table.rows}
        links = {link for url in urls if (link := read_short_url(url, present.base_url, paths))}
        return frozenset(code for code, count in Counter(link.code for link in links).items() if count > 1)

    @cache
    def has_gs1() -> bool:
        return any(row.cells.get("GS1") for row in table.rows)

    def is_allowed(code: str) -> bool:
        return is_short_code(code) or (is_gs1_key(code) and has_gs1())

    # A short URL is parsed twice in succession: `has_own_code` and `insert` both need the link.
    @lru_cache(maxsize=1)
    def link(url: str) -> ShortLink | None:
        url = with_scheme(url)
        if "://" not in url:
            code = tidy_code(url.strip().strip("/"))
            return ShortLink(code, "") if is_allowed(code) and not NO_CODES.fullmatch(code) else None
        found = read_short_url(url, present.base_url, paths)
        is_whole = found and found.urlinfo and (table.of_links or found.code in shared_codes())
        whole = _with_slash(found) if found and is_whole else found
        return whole if whole and is_allowed(whole.code) else None

    return link


def _with_slash(link: ShortLink) -> ShortLink:
    """Return a link whose tail is part of its short code."""
    return ShortLink(f"{link.code}/{link.urlinfo}", "")


def _completed(read: tuple[Row, QRCode] | ImportIssue) -> tuple[Row, QRCode] | ImportIssue:
    """Return a row with its web address completed, if the address has one sensible reading."""
    if isinstance(read, ImportIssue):
        return read
    row, code = read
    url = meant_url(code.content) if code.is_dynamic else ""
    return (row, code.replace(content=url)) if url else read


def _app_issues(row: Row, code: QRCode) -> Iterator[ImportIssue]:
    """Yield the contents of a printed short URL that apps would read from the code itself."""
    contents = contents_of_code(code) if code.is_dynamic and code.short_url else {}
    for name, title in titles_read_from_code(contents).items():
        what = "apps read from the code itself and not from a page; phones that scan this code do not open such an app"
        yield issue_of(row, code, "no-address", f"{name} is of the kind '{title}', which {what}")


def _address_issues(row: Row, code: QRCode, no_address: re.Pattern[str] | None) -> Iterator[ImportIssue]:
    """Yield what was completed of a row's web address, or what is suspicious about it.

    Phones read a static code by themselves, so nothing is known of what they do with its content. `no_address` matches
    contents that are no address, if those of the other rows are; else it is None.
    """
    written = row.cells.get("Content", "")
    if code.content != written:
        yield issue_of(row, code, "completed-url", f"{written!r} is now {code.content!r}")
    elif code.is_dynamic and _OF_AN_APP.fullmatch(written.strip()):
        detail = f"{written!r} opens an app; short URLs cannot redirect to it, so visitors see it as text"
        yield issue_of(row, code, "no-address", detail)
    elif code.is_dynamic and _OF_A_BROWSER.fullmatch(written.strip()):
        detail = f"{written[:80]!r} is not an address that short URLs redirect to, so visitors see it as text"
        yield issue_of(row, code, "no-address", detail)
    elif code.is_dynamic and (warning := link_warning(written)):
        yield issue_of(row, code, "suspicious-url", warning)
    elif no_address and code.is_dynamic and no_address.fullmatch(written.strip()):
        detail = f"{written!r} is not a web address, unlike the contents of other rows; visitors see it as text"
        yield issue_of(row, code, "no-address", detail)


def _fitting(code: QRCode, url: str) -> Properties:
    """Return the properties of a QR Code, with another version or mode if its new short URL does not fit."""
    text = encoded_text(is_dynamic=code.is_dynamic, short_url=url, content=code.content, scan_marker=code.scan_marker)
    properties = fitting(text, code.properties) if code.is_dynamic else code.properties
    if properties is code.properties:
        check_drawable(text, properties, is_dynamic=code.is_dynamic)
    return properties


def _what_changed(asked: Properties, given: Properties) -> str:
    """Describe which requested properties were changed so that the short URL fits."""
    told = []
    if given.version != asked.version:
        told.append(f"Version={asked.version} is too small for its short URL, and is automatic now")
    if given.em != asked.em:
        told.append(f"Encode Mode={asked.em.capitalize()} cannot write its short URL, and is Byte now")
    return "; ".join(told)
