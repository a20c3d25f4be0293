"""Spiders whose requests fail: each failure reaches its errback or callback, by its own type."""

from __future__ import annotations

from scrapy import Request
from scrapy.downloadermiddlewares.retry import RetryMiddleware, get_retry_request
from scrapy.exceptions import CloseSpider, IgnoreRequest
from smallspider import Small, html, never, numbered, path_of, prose, torn

from evocrawl.simulation.server.proxy import Reset, Response, redirect

LOOPBACK = {"HTTPPROXY_ENABLED": False, "EVOCRAWL_ALLOW_NETWORKS": "127.0.0.0/8"}


class _Failing(Small):
    """A site on which /status/N answers N."""

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/status/"):
            return Response(int(request.path[8:11]), b"<p>failed")
        return html(prose(request.path))

    def asked(self, path, **options):
        return Request(self.at(path), self.parse_item, errback=self.failed, **options)


class ManyFailThenGood(_Failing):
    """Ten links fail; the errback of the tenth yields five good pages."""

    def parse(self, response):
        self.count = 0
        for k in range(10):
            yield self.asked(f"/status/500?k={k}")

    def failed(self, failure):
        yield from super().failed(failure)
        self.count += 1
        if self.count == 10:
            for path in numbered("/good/", 5):
                yield self.asked(path)


class FailingAndGood(_Failing):
    """Eight links fail, eight are good, all from one page."""

    def parse(self, response):
        for k in range(8):
            yield self.asked(f"/status/503?k={k}")
            yield self.asked(f"/good/{k}")


class KindsOfFailure(_Failing):
    """404, 410, 500, a broken connection and a time-out reach their errbacks."""

    @staticmethod
    def answer(request, times):
        if request.path == "/reset":
            raise Reset
        if request.path == "/slow":
            return never()
        return _Failing.answer(request, times)

    def parse(self, response):
        for path in ("/status/404", "/status/410", "/status/500", "/status/403", "/reset"):
            yield self.asked(path)
        yield self.asked("/slow", meta={"download_timeout": 1})


class FailuresWithoutErrback(_Failing):
    """Failures of requests without an errback end nothing."""

    def parse(self, response):
        for path in ("/status/404", "/status/500", "/a", "/status/403", "/b"):
            yield Request(self.at(path), self.parse_item)


class Refused(_Failing):
    """A port that refuses connections, from start(); then a callback's request to it."""

    settings = {**LOOPBACK, "RETRY_TIMES": 0}

    async def start(self):
        yield Request("http://127.0.0.1:9/a", self.parse_item, errback=self.failed)

    def failed(self, failure):
        yield from super().failed(failure)
        if failure.request.url.endswith("/a"):
            yield Request("http://127.0.0.1:9/b", self.parse_item, errback=self.failed)


class HalfOfAPage(_Failing):
    """An answer that ends before its length reaches the errback."""

    @staticmethod
    def answer(request, times):
        if request.path == "/half":
            return Response(200, torn(html("half")), {"content-length": "5000"})
        return _Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/half")
        yield self.asked("/whole")


class HalfIsEnough(HalfOfAPage):
    """A spider that takes half of a page, by meta, gets it with its flag."""

    def parse(self, response):
        yield self.asked("/half", meta={"download_fail_on_dataloss": False})

    def parse_item(self, response):
        yield {"path": path_of(response), "flags": response.flags}


class TooLarge(_Failing):
    """An answer above the request's own limit of bytes."""

    def parse(self, response):
        yield self.asked("/a", meta={"download_maxsize": 20})
        yield self.asked("/b")


class StatusesHandled(_Failing):
    """handle_httpstatus_list lets a callback see failures."""

    handle_httpstatus_list = (404, 500)

    def parse(self, response):
        for path in ("/status/404", "/status/500", "/status/403", "/a"):
            yield self.asked(path)


class AllStatusesHandled(_Failing):
    """handle_httpstatus_all, without retries."""

    def parse(self, response):
        for status in (301, 404, 429, 500, 503, 599):
            meta = {"handle_httpstatus_all": True, "dont_retry": True, "dont_redirect": True}
            yield self.asked(f"/status/{status}", meta=meta)


class RetriesByMeta(_Failing):
    """max_retry_times and dont_retry of single requests, RETRY_HTTP_CODES of the project."""

    settings = {"RETRY_HTTP_CODES": [500, 418]}

    @staticmethod
    def answer(request, times):
        if request.path in ("/third", "/teapot") and times < 2:
            return Response(418 if request.path == "/teapot" else 500, b"try again")
        return _Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/third", meta={"max_retry_times": 3})
        yield self.asked("/teapot", meta={"max_retry_times": 3})
        yield self.asked("/status/500", meta={"dont_retry": True})
        yield self.asked("/status/503")


class RetryOfTwentyPages(_Failing):
    """Each of twenty pages fails at the first try."""

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/p/") and not times:
            return Response(503, b"busy")
        return html("front", *numbered("/p/", 20)) if request.path == "/" else html(request.path)

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_item, errback=self.failed)


class FallbacksOfAStart(_Failing):
    """The errback of a start request yields the request to three mirrors."""

    async def start(self):
        yield self.asked("/status/404")

    def failed(self, failure):
        for k in range(3):
            yield failure.request.replace(
                url=self.at(f"/mirror/{k}"), errback=None, dont_filter=True
            )


class FallbacksWithLinks(_Failing):
    """The errback of a later request yields mirrors with copied meta and links; one is known."""

    def parse(self, response):
        yield self.asked("/known")
        yield self.asked("/status/500", meta={"k": 1})

    def failed(self, failure):
        for path in ("/mirror/0", "/mirror/1", "/mirror/2", "/known"):
            yield failure.request.replace(
                url=self.at(path), callback=self.mirror, errback=None, dont_filter=True
            )

    def mirror(self, response):
        yield {"mirror": path_of(response), "k": response.meta["k"]}
        for n in range(3):
            yield response.follow(f"{path_of(response)}/link/{n}", self.parse_item)


class CallbackRaises(_Failing):
    """A callback that raises half-way keeps what it has yielded; so does an errback."""

    def parse(self, response):
        yield self.asked("/a")
        yield self.asked("/status/404")
        yield {"before": 1}
        raise ValueError("half-way")

    def failed(self, failure):
        yield self.asked("/b")
        raise ValueError("half-way, too")


class CallbackCloses(_Failing):
    """CloseSpider of a callback ends the crawl by its reason."""

    def parse(self, response):
        yield {"seen": 1}
        raise CloseSpider("seen enough")


class Ban(RetryMiddleware):
    """Retries what a ban page looks like, as many projects do."""

    def process_response(self, request, response):
        if b"banned" in response.body:
            return self._retry(request, "ban") or response
        return response


class BanPages(_Failing):
    """A downloader middleware of the project's own retries pages with status 200."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Ban: 549}}

    @staticmethod
    def answer(request, times):
        if request.path == "/banned-for-good" or (request.path != "/" and not times):
            return html("you are banned")
        return html(prose(request.path))

    def parse(self, response):
        for path in (*numbered("/p/", 5), "/banned-for-good"):
            yield self.asked(path)


class LoginAgain(_Failing):
    """A page that answers 403 sends the spider to the login, and is asked for again."""

    handle_httpstatus_list = (403,)

    @staticmethod
    def answer(request, times):
        if request.path == "/login":
            return Response(200, b"welcome", {"set-cookie": "session=1; Path=/"})
        if request.path == "/" or request.headers.get("cookie"):
            return html(prose(request.path))
        return Response(403, b"who are you?")

    def parse(self, response):
        for path in numbered("/p/", 3):
            yield Request(self.at(path), self.page)

    def page(self, response):
        if response.status != 403:
            yield {"path": path_of(response)}
            return
        again = response.request.replace(dont_filter=True)
        yield Request(
            self.at("/login"), self.logged_in, dont_filter=True, cb_kwargs={"again": again}
        )

    def logged_in(self, response, again):
        yield again


class RedirectsFail(_Failing):
    """A loop of redirects, a redirect to nowhere, and one not to be followed."""

    handle_httpstatus_list = (302,)
    settings = {"REDIRECT_MAX_TIMES": 3}

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/loop"):
            return redirect(f"{request.path}x", 301)
        if request.path == "/gone":
            return redirect("/status/404", 301)
        if request.path == "/stay":
            return redirect("/elsewhere", 302)
        return _Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/loop")
        yield self.asked("/gone")
        yield self.asked("/stay", meta={"dont_redirect": True})
        yield self.asked("/end")


class Ignoring:
    """Downloader middleware that refuses some requests and some answers."""

    def process_request(self, request):
        if "/secret" in request.url:
            raise IgnoreRequest("not this one")

    def process_response(self, request, response):
        if b"boring" in response.body:
            raise IgnoreRequest("nothing of interest")
        return response


class IgnoredByAMiddleware(_Failing):
    """What a middleware ignores reaches the errback as IgnoreRequest."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Ignoring: 500}}

    @staticmethod
    def answer(request, times):
        return html("boring" if request.path == "/b" else prose(request.path))

    def parse(self, response):
        for path in ("/secret", "/b", "/c"):
            yield self.asked(path)


class RetriedByHand(_Failing):
    """An errback asks for the request again through get_retry_request()."""

    settings = {"RETRY_ENABLED": False, "RETRY_TIMES": 2}

    @staticmethod
    def answer(request, times):
        if request.path == "/third" and times < 2:
            return Response(500, b"try again")
        return _Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/third")
        yield self.asked("/status/500")

    def failed(self, failure):
        yield from super().failed(failure)
        again = get_retry_request(failure.request, spider=self, reason="by hand")
        if again:
            yield again


class OddAddresses(_Failing):
    """Addresses of a scheme without a handler reach the errback."""

    def parse(self, response):
        for url in ("foo://bar/", "tel://1"):
            yield Request(url, self.parse_item, errback=self.odd)
        yield self.asked("/a")

    def odd(self, failure):
        yield {"odd": failure.request.url}
