"""A pipeline that knows the project's own items and no others."""

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem


class Words:
    def process_item(self, item):
        adapter = ItemAdapter(item)
        if not adapter["name"]:
            raise DropItem("an article without a name")
        adapter["words"] = len(adapter["body"].split())
        return item
