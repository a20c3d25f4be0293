"""Which parts are the text of a page with little text: footers, scripts, shadow trees."""

from __future__ import annotations

import pytest

from evocrawl.extraction import parse_html

PAGE = "http://a.test/x"
ARTICLE = "<p>Coral reefs bleach when the sea is too warm for their algae.</p>" * 5
FOOT = "<p>Copyright of the Reef Institute, all rights reserved, terms of use apply to all.</p>"
MENU = "".join(f"<li><a href=/{number}>Coral menu {number}</a></li>" for number in range(12))


def text_of(html: str) -> str:
    return parse_html(html.encode(), PAGE).text


@pytest.mark.parametrize(
    "foot", [f"<footer>{FOOT}</footer>", f"<div id=footer>{FOOT}</div>",
             f"<div class='dark site-footer'>{FOOT}</div>"],
)  # fmt: skip
@pytest.mark.parametrize("menu", [f"<nav><ul>{MENU}</ul></nav>", f"<div><ul>{MENU}</ul></div>"])
def test_the_text_of_a_page_of_menu_and_footer_is_its_menu(menu: str, foot: str) -> None:
    """Terms and copyright are whole sentences, but no content."""
    text = text_of(f"<body>{menu}{foot}")
    assert "Coral menu 11" in text
    assert "rights" not in text


@pytest.mark.parametrize(
    "html", [f"<body><footer>{FOOT}</footer>", f"<body class=footer>{FOOT}",
             f"<div id=footer><main>{FOOT}</main></div>",
             f"<div class='no-footer page'>{FOOT}</div>"],
)  # fmt: skip
def test_a_page_with_only_a_footer_has_its_text(html: str) -> None:
    """A wrong text is better than none."""
    assert "rights" in text_of(html)


def test_noscript_is_the_text_if_it_is_the_whole_page() -> None:
    """An application may have its article there; most only ask for scripts."""
    asks = "<div id=app></div><noscript>Please enable scripts.</noscript>"
    assert text_of(asks) == ""
    brings = f"<div id=app>Loading…</div><noscript><article>{ARTICLE}</article></noscript>"
    assert text_of(brings).count("Coral reefs bleach") == 5
    assert "scripts" not in text_of(asks + ARTICLE)


def test_shadow_trees_that_a_page_declares_are_shown() -> None:
    """As browsers do since 2023; other templates are for scripts."""
    tree = "<x-card><template shadowrootmode={}><p>seen</p><a href=/1>x</a></template></x-card>"
    for mode in ("open", "closed"):
        reading = parse_html(tree.format(mode).encode(), PAGE)
        assert "seen" in reading.text
        assert [link.url for link in reading.links] == ["http://a.test/1"]
    assert "seen" not in text_of(tree.format("none"))


@pytest.mark.parametrize(
    "begin",
    ["<html><title>Reefs</title>", "<head><title>Reefs</title>",
     "<html><head><meta name=a><title>Reefs</title><script></script>"],
)  # fmt: skip
@pytest.mark.parametrize("element", ["main", "article", "section", "header", "x-app", "p", "div"])
@pytest.mark.parametrize("end", ["", "</html>", "</head><body> and the sea.</body></html>"])
def test_the_head_ends_where_a_browser_ends_it(begin: str, element: str, end: str) -> None:
    """A page may leave out the tags of head and body; the parser knows elements of HTML 4 alone."""
    page = parse_html(f"{begin}<{element}>Corals <a href=/x>bleach</a></{element}>{end}".encode(),
                      "http://a.test/")  # fmt: skip

    assert page.title == "Reefs"
    assert page.text == "Corals bleach" + (" and the sea." if "body" in end else "")
    assert [link.url for link in page.links] == ["http://a.test/x"]


def test_what_belongs_into_the_head_stays_there() -> None:
    page = parse_html(b"<head><style>p {}</style><noscript><link href=/s></noscript><base href=/b/>"
                      b"<title>Reefs</title><template>x</template></head><body><a href=x>y</a>",
                      "http://a.test/")  # fmt: skip

    assert (page.title, page.text) == ("Reefs", "y")
    assert [link.url for link in page.links] == ["http://a.test/b/x"]
