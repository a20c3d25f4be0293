"""A crawl spider with rules, callbacks with arguments, a request that is no link, and a form."""

from dataclasses import dataclass

from scrapy import FormRequest, Request
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


@dataclass
class Article:
    name: str
    body: str
    section: str
    likes: int = 0
    words: int = 0


class ArticleSpider(CrawlSpider):
    name = "articles"
    start_urls = ["http://reef.test/"]
    allowed_domains = ["reef.test"]
    rules = [
        Rule(LinkExtractor(allow=r"/article/"), "parse_article", cb_kwargs={"section": "science"}),
        Rule(LinkExtractor(allow=r"/topic/")),
    ]

    def parse_start_url(self, response):
        yield FormRequest("http://reef.test/search", self.parse_search, formdata={"q": "reef"})

    def parse_search(self, response):
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse_article, cb_kwargs={"section": "search"})

    def parse_article(self, response, section):
        article = Article(
            response.css("title::text").get(""), " ".join(response.css("p::text").getall()), section
        )
        yield Request(
            response.urljoin("/likes" + response.url.rsplit("/", 1)[1]),
            self.parse_likes,
            meta={**response.meta, "evocrawl": False},
            cb_kwargs={"article": article},
        )

    def parse_likes(self, response, article):
        article.likes = response.json()["likes"]
        yield article
