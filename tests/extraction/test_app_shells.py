"""Which pages have no text before a browser has run their scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.extraction.app_shells import is_app_shell

SCRIPT = "<script src=/app.js></script>"
MENU = "".join(f"<a href=/{each}>Section {each}</a>" for each in range(8))
ARTICLE = "<p>" + "The reefs lose their colour when the water is too warm. " * 40

SHELLS = {
    "react": f"<div id=root></div>{SCRIPT}",
    "react, asking": f"<noscript>You need to enable JavaScript to run this app.</noscript>"
    f"<div id='root'></div>{SCRIPT}",
    "vue, loading": f"<div id=app><div class=spinner>Loading…</div></div>{SCRIPT}",
    "next": "<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{}</script>"
    f"{SCRIPT}",
    "angular": f"<app-root></app-root>{SCRIPT}",
    "polymer": f"<header>{MENU}</header><shop-app>Loading</shop-app>{SCRIPT}",
    "no element": f"<title>App</title>{SCRIPT}",
    "inline script": "<div></div><script>document.write('hello')</script>",
    "module": "<body><script type=module>import './x.js'</script>",
    "frame around an empty main": f"<nav>{MENU}</nav><main></main><footer>© 2026</footer>{SCRIPT}",
    "frame around an empty root": f"<nav>{MENU}</nav><div id=content><p> </div>{SCRIPT}",
    "japanese, asking": f"<nav>{MENU}</nav><noscript>JavaScriptを有効にしてください</noscript>"
    f"{SCRIPT}",
    "text in a script only": f"<div id=app></div><script>var t = '{ARTICLE}'</script>",
    "text in a comment only": f"<!-- {ARTICLE} --><div id=app></div>{SCRIPT}",
    "style and drawing": f"<style>{'p {color: red}' * 100}</style><svg><text>{ARTICLE}</svg>"
    f"{SCRIPT}",
    "unclosed script": f"<div id=app></div><script>{ARTICLE}",
}
PAGES = {
    "article": ARTICLE,
    "article with a script": f"{ARTICLE}{SCRIPT}",
    "article in the root": f"<div id=root>{ARTICLE}</div>{SCRIPT}",
    "article, asking": f"<noscript>Please enable JavaScript.</noscript>{ARTICLE}{SCRIPT}",
    "short page without a script": "<h1>Hello</h1>",
    "short page with data": "<h1>Hello</h1><script type='application/ld+json'>{}</script>",
    "list of links": f"<main><ul>{MENU}</ul></main>{SCRIPT}",
    "link hub with little text": f"<h1>Links</h1>{MENU}{SCRIPT}",
    "empty": "",
    "frames": f"<html><head>{SCRIPT}</head><frameset><frame src=/a></frameset></html>",
    "article beside an empty element": f"<div id=content></div>{ARTICLE}{SCRIPT}",
    "japanese article": "<p>" + "サンゴの白化は水温の上昇によって起こります。" * 60 + SCRIPT,
}


@pytest.mark.parametrize("html", SHELLS.values(), ids=SHELLS)
def test_a_page_that_only_a_script_fills_is_a_shell(html: str) -> None:
    """With or without some text around it."""
    assert is_app_shell(html)


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_a_page_that_can_be_read_is_no_shell(html: str) -> None:
    """A browser would add nothing, or there is no script to run."""
    assert not is_app_shell(html)


_PIECES = (*"<>/-a \0é&;=İ", '"', "<script", "</script>", "<!--")


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_any_text_is_decided(html: str) -> None:
    """Broken markup raises no error."""
    assert is_app_shell(f"{html}{SCRIPT}") in (True, False)
