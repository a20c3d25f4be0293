"""What a project's own dupe filter learns of the requests of earlier runs."""

from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.test import get_crawler

from evocrawl.adapter.dupe_filter import ProjectFilter


class ByPath(RFPDupeFilter):
    """Filters by the address alone, and notes what it was asked about."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.asked: list[str] = []

    def request_seen(self, request: Request) -> bool:
        """Return whether the address was asked about before."""
        self.asked.append(request.url)
        return self.asked.count(request.url) > 1


def test_a_project_s_filter_gets_earlier_requests_except_those_that_are_not_filtered() -> None:
    """As in the run that sent them: Scrapy does not ask about requests with `dont_filter`."""
    found = ProjectFilter(get_crawler(settings_dict={"DUPEFILTER_CLASS": ByPath}))
    earlier, login = Request("http://reef.test/a"), Request("http://reef.test/b", dont_filter=True)
    assert not found.recall(b"a", earlier)
    assert not found.recall(b"b", login)
    assert isinstance(found.filter, ByPath)
    assert found.filter.asked == [earlier.url]
    assert found.is_refused(earlier)
    assert not found.is_refused(login.replace(dont_filter=False))
