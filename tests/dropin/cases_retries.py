"""Spiders that retry, fall back, raise, log in again or ignore requests."""

from __future__ import annotations

from failingcase import Failing
from scrapy import Request
from scrapy.downloadermiddlewares.retry import RetryMiddleware, get_retry_request
from scrapy.exceptions import CloseSpider, IgnoreRequest
from smallspider import html, numbered, path_of, prose

from evocrawl.simulation.server.proxy import Response, redirect


class RetriesByMeta(Failing):
    """max_retry_times and dont_retry of single requests, RETRY_HTTP_CODES of the project."""

    settings = {"RETRY_HTTP_CODES": [500, 418]}

    @staticmethod
    def answer(request, times):
        if request.path in ("/third", "/teapot") and times < 2:
            return Response(418 if request.path == "/teapot" else 500, b"try again")
        return Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/third", meta={"max_retry_times": 3})
        yield self.asked("/teapot", meta={"max_retry_times": 3})
        yield self.asked("/status/500", meta={"dont_retry": True})
        yield self.asked("/status/503")


class RetryOfTwentyPages(Failing):
    """Each of twenty pages fails at the first try."""

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/p/") and not times:
            return Response(503, b"busy")
        return html("front", *numbered("/p/", 20)) if request.path == "/" else html(request.path)

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_item, errback=self.failed)


class FallbacksOfAStart(Failing):
    """The errback of a start request yields the request to three mirrors."""

    async def start(self):
        yield self.asked("/status/404")

    def failed(self, failure):
        for k in range(3):
            yield failure.request.replace(
                url=self.at(f"/mirror/{k}"), errback=None, dont_filter=True
            )


class FallbacksWithLinks(Failing):
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


class CallbackRaises(Failing):
    """A callback that raises half-way keeps what it has yielded; so does an errback."""

    def parse(self, response):
        yield self.asked("/a")
        yield self.asked("/status/404")
        yield {"before": 1}
        raise ValueError("half-way")

    def failed(self, failure):
        yield self.asked("/b")
        raise ValueError("half-way, too")


class CallbackCloses(Failing):
    """CloseSpider of a callback ends the crawl by its reason."""

    def parse(self, response):
        yield {"seen": 1}
        raise CloseSpider("seen enough")


class Ban(RetryMiddleware):
    """Retries pages that look like a ban, as many projects do."""

    def process_response(self, request, response):
        if b"banned" in response.body:
            return self._retry(request, "ban") or response
        return response


class BanPages(Failing):
    """A downloader middleware of the project retries pages with status 200."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Ban: 549}}

    @staticmethod
    def answer(request, times):
        if request.path == "/banned-for-good" or (request.path != "/" and not times):
            return html("you are banned")
        return html(prose(request.path))

    def parse(self, response):
        for path in (*numbered("/p/", 5), "/banned-for-good"):
            yield self.asked(path)


class LoginAgain(Failing):
    """After a page with status 403 the spider logs in and requests the page again."""

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


class RedirectsFail(Failing):
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
        return Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/loop")
        yield self.asked("/gone")
        yield self.asked("/stay", meta={"dont_redirect": True})
        yield self.asked("/end")


class Ignoring:
    """Downloader middleware that refuses some requests and some responses."""

    def process_request(self, request):
        if "/secret" in request.url:
            raise IgnoreRequest("not this one")

    def process_response(self, request, response):
        if b"boring" in response.body:
            raise IgnoreRequest("nothing of interest")
        return response


class IgnoredByAMiddleware(Failing):
    """A request that a middleware ignores reaches the errback as IgnoreRequest."""

    settings = {"DOWNLOADER_MIDDLEWARES": {Ignoring: 500}}

    @staticmethod
    def answer(request, times):
        return html("boring" if request.path == "/b" else prose(request.path))

    def parse(self, response):
        for path in ("/secret", "/b", "/c"):
            yield self.asked(path)


class RetriedByHand(Failing):
    """An errback repeats the request through get_retry_request()."""

    settings = {"RETRY_ENABLED": False, "RETRY_TIMES": 2}

    @staticmethod
    def answer(request, times):
        if request.path == "/third" and times < 2:
            return Response(500, b"try again")
        return Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/third")
        yield self.asked("/status/500")

    def failed(self, failure):
        yield from super().failed(failure)
        again = get_retry_request(failure.request, spider=self, reason="by hand")
        if again:
            yield again


class OddAddresses(Failing):
    """Addresses of a scheme without a handler reach the errback."""

    def parse(self, response):
        for url in ("foo://bar/", "tel://1"):
            yield Request(url, self.parse_item, errback=self.odd)
        yield self.asked("/a")

    def odd(self, failure):
        yield {"odd": failure.request.url}


class RedirectsToItself(Failing):
    """Answers that lead to their own address: one for ever, one until it is ready, one by HTML."""

    @staticmethod
    def answer(request, times):
        if request.path == "/reload":
            return f"<meta http-equiv=refresh content='0;url=/reload'>{prose('/reload')}"
        if request.path == "/again" or (request.path == "/wait" and times < 2):
            return redirect(request.path)
        return Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/again")
        yield self.asked("/wait", dont_filter=True)
        yield self.asked("/reload", dont_filter=True)


class RedirectsToNowhere(Failing):
    """Answers whose Location is no address of a page."""

    @staticmethod
    def answer(request, times):
        wrong = {"/mail": "mailto:a@b.test", "/bad": "http://[bad"}
        if request.path in wrong:
            return redirect(wrong[request.path])
        return Failing.answer(request, times)

    def parse(self, response):
        yield self.asked("/mail")
        yield self.asked("/bad")
