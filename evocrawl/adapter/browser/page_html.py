"""Reads a page in Chromium as HTML, with what its components show."""

from __future__ import annotations

from typing import Any

from evocrawl.adapter.exceptions import PageTooLarge

_READ = """
((most) => {
  const isHost = each => each.shadowRoot;
  let top = document.documentElement;
  const children = new Map();
  const parts = [];
  if (top && [...document.querySelectorAll('*')].some(isHost)) {
    // Elements of this document have no scripts, and their components do not start.
    const inert = document.implementation.createHTMLDocument('');
    const copied = each => inert.importNode(each, true);
    parts.push([top, copied(top)]);
    top = parts[0][1];
    while (parts.length) {
      const [from, to] = parts.pop();
      const hosts = [], slots = [];
      const read = document.createTreeWalker(from, NodeFilter.SHOW_ELEMENT);
      const written = inert.createTreeWalker(to, NodeFilter.SHOW_ELEMENT);
      do {
        const pair = [read.currentNode, written.currentNode];
        if (isHost(pair[0])) hosts.push(pair);
        if (pair[0].localName === 'slot') slots.push(pair);
      } while (read.nextNode() && written.nextNode());
      for (const [slot, copy] of slots) {
        const shown = slot.assignedNodes().map(each => children.get(each)).filter(each => each);
        if (shown.length) copy.replaceChildren(...shown);
      }
      for (const [host, copy] of hosts) {
        const copies = [...copy.childNodes];
        [...host.childNodes].forEach((each, index) => children.set(each, copies[index]));
        const inside = [...host.shadowRoot.childNodes].map(each => [each, copied(each)]);
        copy.prepend(...inside.map(each => each[1]));
        parts.push(...inside.filter(each => each[0].nodeType === Node.ELEMENT_NODE));
      }
    }
  }
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  const html = top ? type + top.outerHTML : '';
  return most && html.length > most ? html.length : html;
})
"""
"""Returns the HTML, or its length if it has more than `most` characters (0: any number).

The content of each open shadow root is put into its element, and what an element's slots show into
the slots; children that no slot shows come after it.
"""


async def html_of(page: Any, most_chars: int) -> str:
    """Return the HTML of a page in Chromium, read where no script of the page can interfere.

    Raises PageTooLarge if it has more than `most_chars` characters (0: any number), and the
    exceptions of Playwright.
    """
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Page.getFrameTree")
    frame = {"frameId": tree["frameTree"]["frame"]["id"]}
    world = await session.send("Page.createIsolatedWorld", frame)
    read = {"expression": f"{_READ}({most_chars})", "contextId": world["executionContextId"]}
    value = (await session.send("Runtime.evaluate", read))["result"].get("value")
    if isinstance(value, str):
        return value
    raise PageTooLarge(f"{page.url} has {value} characters in the browser")
