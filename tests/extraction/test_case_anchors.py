"""Anchor texts of links, their rel tokens and places, and links that are hidden."""

from __future__ import annotations

import pytest
from case_links import only_link, read, urls


def test_frames_and_areas_are_links() -> None:
    """Old pages have their content in frames and their menus in image maps."""
    assert urls(
        "<map><area href=/area alt=Area></map><iframe src=/iframe></iframe><a href=/a>a</a>"
    ) == ["http://a.test/area", "http://a.test/iframe", "http://a.test/a"]
    assert urls("<frameset><frame src=/f1><frame src=/f2></frameset>") == [
        "http://a.test/f1",
        "http://a.test/f2",
    ]


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<a href=/1><img alt=' A  reef '></a>", "A reef"),
        ("<a href=/1 title='The title'><img></a>", "The title"),
        ("<a href=/1 aria-label='A label'> </a>", "A label"),
        ("<a href=/1><img alt=''><img alt=second></a>", "second"),
        ("<map><area href=/1 alt='An area'></map>", "An area"),
        ("<a href=/1 title=t>text<img alt=i></a>", "text"),
        ("<a href='/1'/>text</a> more", "text"),
        ("<A HREF=/1 title='t' />text</a> more", "text"),
        ("<a href=/1><img data-src=x><noscript><img alt=reef></noscript></a>", "reef"),
        ("<a href=/1><script>x()</script><style>b{}</style></a>", ""),
        ("<a href=/1>mi&#8203;ning deep&shy;sea</a>", "mi\u200bning deep\xadsea"),
    ],
)
def test_anchor_text_and_its_substitutes(html: str, anchor: str) -> None:
    """Visible text first, then alt, title, aria-label; the relevance model folds the words."""
    assert only_link(html).anchor == anchor


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/1>one<p><a href=/2>two</a>",
        "<p><a href=/1>on<i>e</i><p>or <b>so<a href=/2>two</a></b><p>more",
        "<a href=/1>one<div><a href=/2>two</div>",
    ],
)
def test_b011_an_anchor_that_is_not_closed_ends_where_the_next_begins(html: str) -> None:
    """B011: links do not nest; each has its own words."""
    one, two = read(html).links
    assert (one.url, two.url) == ("http://a.test/1", "http://a.test/2")
    assert one.anchor.startswith("one")
    assert "two" not in one.anchor
    assert two.anchor.startswith("two")


def test_links_in_svg_drawings_are_links() -> None:
    """SVG has its own attribute for links, which browsers follow."""
    link = only_link("<svg><a xlink:href=/map><text>A map</text></a></svg>")
    assert (link.url, link.anchor) == ("http://a.test/map", "A map")


@pytest.mark.parametrize("first", ["rel='nofollow noopener'", "rel=noopener style='display:none'"])
def test_a_target_that_is_also_linked_without_nofollow_may_be_followed(first: str) -> None:
    """A second link without rel tokens removes those of the first."""
    warned, plain = f"<a href=/1 {first}>x</a>", "<a href=/1>more</a>"
    for html in (warned + plain, plain + warned):
        link = only_link(html)
        assert {"nofollow", "evocrawl-hidden"}.isdisjoint(link.rel)
        assert link.position == 0
    assert not {"nofollow", "evocrawl-hidden"}.isdisjoint(only_link(warned + warned).rel)


@pytest.mark.parametrize(
    "nothing", ["→", "12 comments", "Continue", "Weiterlesen", "Lire la suite"]
)
def test_the_most_descriptive_anchor_is_that_of_the_link(nothing: str) -> None:
    """In any order; the words of the other anchors stay in the context."""
    title = "<p><a href=/1>Wave farm permit</a></p>"
    other = f"<p>Some <a href=/1>{nothing}</a> {60 * 'words '}</p>"
    for html in (title + other, other + title):
        link = only_link(html)
        assert link.anchor == "Wave farm permit"
        assert nothing in link.context
        assert link.position == 0


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<h2 id=t>Wave <i>farm</i></h2><a href=/1 aria-labelledby='t none'></a>", "Wave farm"),
        ("<a href=/1><img title='Wave farm'></a>", "Wave farm"),
        ("<a href=/1><i aria-label='Wave farm'></i></a>", "Wave farm"),
        ("<a href=/1><input type=image alt='Wave farm'></a>", "Wave farm"),
        ("<a href=/1><svg><title>Wave farm</title></svg></a>", "Wave farm"),
        ("<a href=/1 aria-label='Read more about the wave farm'>Read more</a>",
         "Read more about the wave farm"),
        ("<a href=/1><span style='clip:rect(0,0,0,0)'>Wave farm</span></a>", "Wave farm"),
        ("<a href=/1 title='Opens in a new window'>Wave farm</a>", "Wave farm"),
    ],
)  # fmt: skip
def test_accessible_names_are_anchors(html: str, anchor: str) -> None:
    """As browsers give them to a screen reader."""
    assert only_link(html).anchor == anchor


def test_a_target_linked_twice_is_one_link_with_the_first_words() -> None:
    """A picture and a headline often lead to one page; the words are the headline's."""
    links = read(
        "<a href=/x><img></a><a href=/y>why</a><a href='/x#part'>Words</a><a href=/x>later</a>"
    ).links
    assert [(link.url, link.anchor, link.position) for link in links] == [
        ("http://a.test/x", "Words", 0),
        ("http://a.test/y", "why", 1),
    ]


def test_rel_tokens_and_tag_path() -> None:
    """rel is a set of lower-case tokens; the path names the elements around the anchor."""
    link = only_link("<body><ul><li><a rel='NoFollow  UGC' href=/1>x</a></ul>")
    assert link.rel == ("nofollow", "ugc")
    assert link.tag_path == "html/body/ul/li"
    assert only_link("<a rel='nofollow,ugc' href=/1>x</a>").rel == ("nofollow", "ugc")


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden><p><a href=/1>x</a></p></div>",
        "<a href=/1 style='color:red; display : none'>x</a>",
        "<div style='DISPLAY:NONE'><a href=/1>x</a></div>",
        "<p style='visibility: hidden'><a href=/1>x</a></p>",
        "<span aria-hidden=true><a href=/1>x</a></span>",
    ],
)
def test_hidden_links_are_marked(html: str) -> None:
    """Hidden links may be traps; other modules decide whether to follow them."""
    hidden, seen = read(f"{html}<p><a href=/2>y</a></p>").links
    assert hidden.rel == ("evocrawl-hidden",)
    assert seen.rel == ()


@pytest.mark.parametrize("tag", ["script", "style", "template"])
def test_links_in_scripts_and_templates_are_left_out(tag: str) -> None:
    """Only links that a browser with scripts shows are read."""
    assert urls(f"<{tag}><a href=/no>x</a></{tag}><a href=/yes>y</a>") == ["http://a.test/yes"]


def test_comments_have_no_links() -> None:
    """Neither comments nor processing instructions are content."""
    assert urls("<!-- <a href=/no>x</a> --><?php <a href=/no2> ?><a href=/yes>y</a>")[-1:] == [
        "http://a.test/yes"
    ]
    assert urls("<!-- <a href=/no>x</a> -->") == []
