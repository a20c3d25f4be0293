"""Spiders that read many pages which look alike: lists, items of a shop, an app's shell."""

from __future__ import annotations

from scrapy import FormRequest, Request
from scrapy.http import JsonRequest
from smallspider import Small, alike, html, number, numbered, path_of, prose

SHELL = html(prose("shell", 60))


class AlikeList(Small):
    """Forty lists, alike but for their numbers, each of which yields the next."""

    start_urls = ("http://alikelist.test/list?page=0",)
    options = {}

    @staticmethod
    def answer(request, times):
        n = number(request.path)
        return html(alike(n), *[f"/list?page={n + 1}"] * (n < 39)) if n < 40 else None

    def parse(self, response):
        yield {"sku": number(path_of(response))}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, **self.options)


class AlikeListUnfiltered(AlikeList):
    """The same with dont_filter."""

    start_urls = ("http://alikelistunfiltered.test/list?page=0",)
    options = {"dont_filter": True}


class AlikeItems(AlikeList):
    """The same by path."""

    start_urls = ("http://alikeitems.test/item/0",)

    @staticmethod
    def answer(request, times):
        n = number(request.path)
        return html(alike(n), *[f"/item/{n + 1}"] * (n < 39)) if n < 40 else None


class AlikeDates(AlikeList):
    """Forty days of a diary, alike but for the date, each linked to the one before."""

    start_urls = ("http://alikedates.test/2026/01/39",)

    @staticmethod
    def answer(request, times):
        n = number(request.path)
        return html(alike(n), *[f"/2026/01/{n - 1}"] * (n > 0)) if n < 40 else None


class AlikeCategories(Small):
    """Ten categories, each linked to the next, of eight products that differ in the price alone."""

    start_urls = ("http://alikecategories.test/cat/0",)

    @staticmethod
    def answer(request, times):
        if request.path.startswith("/prod"):
            return html(alike(number(request.path)))
        n = number(request.path)
        if n > 9:
            return None
        products = [f"/prod?id={each}" for each in range(8 * n, 8 * n + 8)]
        return html(f"Category {n}", *products, *[f"/cat/{n + 1}"] * (n < 9))

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse if "cat" in link else self.product)

    def product(self, response):
        yield {"price": response.css("p::text").get().split()[-1]}


class CategoriesSideBySide(AlikeCategories):
    """The categories are linked from the front page."""

    start_urls = ("http://categoriessidebyside.test/",)

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html("Categories", *numbered("/cat/", 10))
        page = AlikeCategories.answer(request, times)
        return page and page.replace('"/cat/', '"/sub/')

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            if "sub" not in link:
                yield response.follow(link, self.parse if "cat" in link else self.product)


class EmptyItems(AlikeList):
    """Thirty pages without a word, each linked to the next."""

    start_urls = ("http://emptyitems.test/e/0",)

    @staticmethod
    def answer(request, times):
        n = number(request.path)
        return f"<a href=/e/{n + 1}></a>" if n < 29 else "<p></p>"


class EmptyAnswers(Small):
    """Twenty-five answers of no bytes at all."""

    @staticmethod
    def answer(request, times):
        return html("front", *numbered("/e/", 25)) if request.path == "/" else ""

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_item)


class DeeperAndDeeper(AlikeList):
    """Addresses that grow by a folder at each of thirty hops."""

    start_urls = ("http://deeperanddeeper.test/more/1",)

    @staticmethod
    def answer(request, times):
        depth = request.path.count("/more")
        return html(prose(depth), *["/more" * (depth + 1) + f"/{depth + 1}"] * (depth < 30))


class QueryGrows(AlikeList):
    """Addresses that grow by a parameter at each of twenty-five hops."""

    start_urls = ("http://querygrows.test/s?lang=0",)

    @staticmethod
    def answer(request, times):
        depth = request.path.count("lang")
        return html(prose(depth), *[f"{request.path}&lang={depth}"] * (depth < 25))


class Shells(Small):
    """An app that answers each path with one shell; each of thirty pages yields the next."""

    start_urls = ("http://shells.test/app/0",)

    @staticmethod
    def answer(request, times):
        return SHELL

    def parse(self, response):
        n = number(path_of(response))
        yield {"n": n}
        if n < 29:
            yield response.follow(f"/app/{n + 1}")


class ShellsAndDetails(Small):
    """Forty shells side by side, each of which yields its detail."""

    options = {}

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html("front", *numbered("/app/", 40))
        return {"id": number(request.path)} if request.path.startswith("/api") else SHELL

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.shell)

    def shell(self, response):
        yield response.follow(f"/detail/{number(path_of(response))}", self.parse_item)


class ShellsAndApi(ShellsAndDetails):
    """Each shell yields a request to the API."""

    def shell(self, response):
        yield JsonRequest(self.at(f"/api/{number(path_of(response))}"), callback=self.data)

    def data(self, response):
        yield response.json()


class ShellsAndPost(ShellsAndDetails):
    """Each shell yields a form to one address."""

    def shell(self, response):
        data = {"n": f"{number(path_of(response))}"}
        yield FormRequest(self.at("/ask"), self.asked, formdata=data, cb_kwargs=data)

    def asked(self, response, n):
        yield {"n": n}


class ShellsUnfiltered(ShellsAndDetails):
    """Each shell yields its detail with dont_filter."""

    def shell(self, response):
        yield response.follow(
            f"/detail/{number(path_of(response))}", self.parse_item, dont_filter=True
        )


class ApiPages(Small):
    """An API by offset: the next page is in the answer."""

    start_urls = ("http://apipages.test/api?offset=0",)

    @staticmethod
    def answer(request, times):
        n = number(request.path)
        following = f"/api?offset={n + 10}" if n < 290 else None
        return {"rows": [{"id": n + k} for k in range(2)], "next": following}

    def parse(self, response):
        data = response.json()
        yield from data["rows"]
        if data["next"]:
            yield response.follow(data["next"])


class ApiCursor(Small):
    """A GraphQL-like API: one address, the cursor in the body."""

    @staticmethod
    def answer(request, times):
        n = number(request.body.decode().strip('{"}'))
        return {"id": n, "next": n + 1 if n < 25 else None}

    async def start(self):
        yield self.ask(0)

    def ask(self, cursor):
        return JsonRequest(self.at("/graphql"), data={"cursor": f"{cursor}"}, callback=self.parse)

    def parse(self, response):
        data = response.json()
        yield {"id": data["id"]}
        if data["next"]:
            yield self.ask(data["next"])


class SearchForms(Small):
    """A search form for each of thirty words; most find nothing, with the same words."""

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html("Search") + "<form action=/search><input name=q></form>"
        return html("Nothing was found. Please try again with another word. " * 5)

    def parse(self, response):
        for k in range(30):
            yield FormRequest.from_response(
                response, formdata={"q": f"word {k}"}, callback=self.parse_item
            )


class AlikeFan(Small):
    """Fifty details alike but for a number, from one page."""

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html("front", *numbered("/d?id=", 50))
        return html(alike(number(request.path)))

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_item)


class SameTextEverywhere(AlikeFan):
    """Forty addresses in folders of their own with the very same text, each with a child."""

    @staticmethod
    def answer(request, times):
        if request.path == "/":
            return html("front", *(f"/{prose(k, 1).split()[1]}/x" for k in range(40)))
        return SHELL

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.child)

    def child(self, response):
        yield {"path": path_of(response)}
        yield Request(response.url + "/child", self.parse_item)
