"""Spiders with custom dupe filters and fingerprints, and with nearly equal addresses."""

from __future__ import annotations

from typing import Any

from scrapy import FormRequest, Request
from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.request import RequestFingerprinter, fingerprint
from smallspider import Paged, Small, html, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response, redirect


class NoDupefilter(Paged):
    """BaseDupeFilter filters nothing."""

    settings = {"DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter"}

    def parse(self, response):
        for _ in range(4):
            yield response.follow("/a", self.parse_item)


class _ByPath(RFPDupeFilter):
    """Treats addresses that differ only in the query as one."""

    def request_fingerprint(self, request):
        return fingerprint(request.replace(url=request.url.partition("?")[0])).hex()


class OwnDupefilter(Paged):
    """A dupe filter of the project filters more than Scrapy's."""

    settings = {"DUPEFILTER_CLASS": _ByPath}

    def parse(self, response):
        for path in ("/a?x=1", "/a?x=2", "/b?x=1", "/b"):
            yield response.follow(path, self.by_path)
        yield response.follow("/b?x=3", self.by_path, dont_filter=True)

    def by_path(self, response):
        yield {"path": path_of(response).partition("?")[0]}


class _ByLanguage:
    def __init__(self, *_: Any) -> None:
        pass

    def fingerprint(self, request):
        return fingerprint(request, include_headers=["Accept-Language"])


class FingerprintByHeader(Paged):
    """One URL in three languages."""

    settings = {"REQUEST_FINGERPRINTER_CLASS": _ByLanguage}

    def parse(self, response):
        for language in ("fr", "en", "de", "fr"):
            headers = {"Accept-Language": language}
            yield Request(self.at("/a"), self.translated, headers=headers)

    def translated(self, response):
        yield {"language": response.request.headers["Accept-Language"].decode()}


class _WithFragment:
    def __init__(self, *_: Any) -> None:
        pass

    def fingerprint(self, request):
        return fingerprint(request, keep_fragments=True)


class FingerprintWithFragment(Paged):
    """Addresses that differ in the fragment are three, by the project's fingerprinter."""

    settings = {"REQUEST_FINGERPRINTER_CLASS": _WithFragment}

    def parse(self, response):
        for k in (1, 2, 3, 3):
            yield Request(self.at(f"/a#{k}"), self.parse_item, cb_kwargs={"k": k})


class _NotOfAll(RFPDupeFilter):
    """Reads a value that not every request has."""

    def request_seen(self, request):
        return request.meta["kind"] == "seen" or super().request_seen(request)


class DupefilterFails(Paged):
    """If a dupe filter raises an error, only that request is lost."""

    settings = {"DUPEFILTER_CLASS": _NotOfAll}

    def parse(self, response):
        yield response.follow("/a", self.parse_item, meta={"kind": "new"})
        yield response.follow("/b", self.parse_item)
        yield response.follow("/c", self.parse_item, meta={"kind": "new"})


class _ByPageObject(RequestFingerprinter):
    """As in scrapy-poet: the page object that a callback needs is part of the identity."""

    def fingerprint(self, request):
        return super().fingerprint(request) + request.meta.get("page", "").encode()


class FingerprintByPageObject(Paged):
    """One URL, read as two kinds of page."""

    settings = {"REQUEST_FINGERPRINTER_CLASS": _ByPageObject}

    def parse(self, response):
        for kind in ("book", "author", "book"):
            meta, words = {"page": kind}, {"kind": kind}
            yield response.follow("/a", self.parse_item, meta=meta, cb_kwargs=words)


class Fragments(Paged):
    """By Scrapy's own fingerprinter the fragment does not count."""

    def parse(self, response):
        for k in range(3):
            yield response.follow(f"/a#{k}", self.fragment)

    def fragment(self, response):
        yield {"path": path_of(response).partition("#")[0]}


class Tracking(Paged):
    """Addresses that differ in parameters of trackers are different for Scrapy."""

    def parse(self, response):
        for name in ("utm_source", "gclid", "fbclid", "at_medium", "sid", "PHPSESSID"):
            for k in range(3):
                yield response.follow(f"/a?{name}={k:016x}", self.parse_item)


class Spelling(Paged):
    """Addresses that differ in case, a last slash, an index page or the order of the query."""

    def parse(self, response):
        for path in (
            "/a", "/a/", "/A", "/a/index.html", "/a//b", "/a/b", "/a/./b", "/%61",
            "/q?x=1&y=2", "/q?y=2&x=1", "/q?x=1&y=2&", "/q?x=", "/q?x", "/s;jsessionid=1", "/s",
        ):  # fmt: skip
            yield response.follow(path, self.counted)

    def counted(self, response):
        yield {"path": path_of(response).lower().split("?")[0]}


class ManyForms(Small):
    """Forms that differ in a field are different requests; the same form is filtered."""

    @staticmethod
    def answer(request, times):
        return html(prose(request.path + request.body.decode()))

    def parse(self, response):
        for word in ("coral", "reef", "coral"):
            data = {"q": word}
            yield FormRequest(self.at("/"), self.found, formdata=data, cb_kwargs=data)
        yield Request(self.at("/"), self.found, method="HEAD", cb_kwargs={"q": "head"})

    def found(self, response, q):
        yield {"q": q, "status": response.status}


class RedirectedToOne(Small):
    """Four addresses, requested with dont_filter, redirect to one."""

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/go"):
            return redirect("/target", 302)
        return html(prose(request.path))

    async def start(self):
        for k in range(4):
            url = self.at(f"/go?k={k}")
            yield Request(url, self.parse_item, dont_filter=True, cb_kwargs={"k": k})


class RedirectedToOneFiltered(RedirectedToOne):
    """Four addresses redirect to one, and are filtered there; the page itself is requested, too."""

    async def start(self):
        yield Request(self.at("/front"))

    def parse(self, response):
        for k in range(4):
            yield response.follow(f"/go?k={k}", self.parse_item)
        yield response.follow("/target", self.parse_item)


class RedirectedToLogin(Small):
    """Pages that need a login redirect to it until there is a session."""

    @staticmethod
    def answer(request, times):
        if request.path == "/login":
            form = '<form method=post action=/login><input name=user><input name="t" value="7">'
            if request.method == "POST":
                return Response(200, b"welcome", {"set-cookie": "session=1; Path=/"})
            return html("Please log in") + form
        if "session" not in request.headers.get("cookie", ""):
            return redirect("/login", 302)
        return html(prose(request.path))

    async def start(self):
        for path in numbered("/private/", 4):
            yield Request(self.at(path), dont_filter=True, cb_kwargs={"path": path})

    def parse(self, response, path):
        if path_of(response) != "/login":
            yield {"path": path}
            return
        yield {"login": path}
        yield FormRequest.from_response(
            response,
            formdata={"user": "me"},
            callback=self.logged_in,
            cb_kwargs={"path": path},
            dont_filter=True,
        )

    def logged_in(self, response, path):
        yield Request(self.at(path), self.private, dont_filter=True, cb_kwargs={"path": path})

    def private(self, response, path):
        yield {"private": path, "at": path_of(response)}


class Replaced:
    """Downloader middleware that asks for another address in place of the one wanted."""

    def process_request(self, request):
        if "/alt/" in request.url:
            return request.replace(url=request.url.replace("/alt/", "/api/"), dont_filter=True)
        return None


class ReplacedByAMiddleware(Paged):
    """Ten requests are replaced on the way; two of them, by known addresses."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Replaced: 543}}

    def parse(self, response):
        for path in ("/api/1", "/api/2", *numbered("/alt/", 8)):
            yield response.follow(path, self.parse_item)
