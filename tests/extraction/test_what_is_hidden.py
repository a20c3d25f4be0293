"""Hidden text of a page is in no text, no context, and in no anchor but its own."""

from __future__ import annotations

import pytest

from evocrawl.extraction import parse_html


def links_and_text(html: str) -> tuple[list[tuple[str, str]], str]:
    reading = parse_html(html.encode(), "https://a.test/", encoding="utf-8")
    return [(link.anchor, link.context) for link in reading.links], reading.text


@pytest.mark.parametrize(
    ("html", "anchor", "context"),
    [
        ("<a href=/1>Wave <i style='display:none'>secret</i>farm</a> big", "Wave farm",
         "Wave farm big"),
        ("<a href=/1>Wave</a> <span hidden>secret</span>farm", "Wave", "Wave farm"),
        ("<a href=/1>Wave</a> <span style='clip:rect(0,0,0,0)'>secret</span>farm", "Wave",
         "Wave farm"),
        ("<a href=/1><svg><title>secret</title></svg>Wave farm</a>", "Wave farm", "Wave farm"),
        ("<a href=/1><b>x <i hidden>secret</i></b><a href=/1>Wave</a>", "x", "x Wave"),
        ("<i style='visibility:hidden'>secret</i> <a href=/1>Wave</a>", "Wave", "Wave"),
        ("<a href=/1>Deep <span style='clip:rect(0,0,0,0)'>blue</span></a>", "Deep blue",
         "Deep blue"),
    ],
)  # fmt: skip
def test_hidden_words_are_in_no_anchor_and_no_context(html: str, anchor: str, context: str) -> None:
    """But words for screen readers within a link are its anchor."""
    assert links_and_text(f"<p>{html}</p>")[0] == [(anchor, context)]


def test_hidden_words_deep_in_a_page_are_in_no_context() -> None:
    """Also on a page with the deepest allowed nesting, and on a long page."""
    deep = "<div>" * 220 + "<p>x <b hidden>secret</b></p>" + "</div>" * 220
    assert links_and_text(f"{deep}<a href=/1>Wave</a>")[0] == [("Wave", "x Wave")]
    long = "<p>word word</p><p hidden>secret</p>" * 900
    (link,), text = links_and_text(f"{long}<a href=/1>Wave</a>{long}")
    assert "word" in link[1]
    assert "secret" not in link[1] + text


def test_visible_elements_in_invisible_ones_are_read() -> None:
    """CSS 2 §11.2: descendants of an invisible element can be visible."""
    links, text = links_and_text(
        "<div style='visibility:hidden'>secret<p style='visibility:visible'>Reef <a href=/1>Far"
        "</a><i style='visibility:hidden'>secret <b style='visibility:visible'>end</b></i></p>"
        "secret <p>secret</p></div>"
    )
    assert text == "Reef Far end"
    assert links == [("Far", "Reef Far end")]


@pytest.mark.parametrize(
    "html",
    [
        "<p style='text-indent:100%;white-space:nowrap;overflow:hidden'>secret</p>",
        "<p style='font:0/0 a'>secret</p>", "<p style='font: bold 0 a'>secret</p>",
        "<span style='display:block;height:0;overflow:hidden'>secret</span>",
        "<span style='position:absolute;width:1px;overflow:hidden'>secret</span>",
        "<p style='display&#58;none'>secret</p>", "<P STYLE = DISPLAY:NONE>secret</P>",
        "<p HIDDEN>secret</p>", "<p aria-hidden=true>secret</p>",
        f"<p style='{500 * 'x'};display:none'>secret</p>",
    ],
)  # fmt: skip
def test_more_ways_to_hide(html: str) -> None:
    assert links_and_text(f"<p>Sea</p>{html}")[1] == "Sea"


@pytest.mark.parametrize(
    "style",
    [
        "height:0;overflow:hidden", "max-height:0", "font:12px/0 a", "font: 12px / 0 a",
        "font:0.5em a", "font:100 1em a", "text-indent:100%", "visibility:visible",
    ],
)  # fmt: skip
def test_inline_elements_without_height_are_read(style: str) -> None:
    """An inline element has no height that could cut its words."""
    assert links_and_text(f"<p>Sea <span style='{style}'>shown</span></p>")[1] == "Sea shown"
