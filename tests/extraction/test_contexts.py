"""The context of a link: the text of the lowest ancestor with enough words."""

from __future__ import annotations

from typing import Any

import pytest

from evocrawl.extraction import Limits, ParsedPage, link_context, links, parse_html

FEW = Limits(context_words=5)


def read(html: str, limits: Limits = FEW) -> ParsedPage:
    return parse_html(html.encode(), "http://a.test/", limits=limits)


def contexts(html: str, limits: Limits = FEW) -> list[str]:
    return [link.context for link in read(html, limits).links]


def test_the_lowest_ancestor_with_enough_words_counts() -> None:
    """The aggregation node of Pant & Srinivasan (2006)."""
    html = (
        "<div>far <div><h2>Warm sea</h2><p>About <i><a href=/1>coral</a></i> reefs</p></div></div>"
    )
    assert contexts(html) == ["Warm sea About coral reefs"]
    assert contexts(html, Limits(context_words=3)) == ["About coral reefs"]
    assert contexts(html, Limits(context_words=1)) == ["coral"]


def test_words_of_two_blocks_are_not_joined() -> None:
    """Also on pages without white space between their tags."""
    html = (
        "<ul><li>Sea<ul><li><a href=/1>Co<b>r</b>al</a></li><li>Reef</li></ul></li><li>x<br>y</ul>"
    )
    assert contexts(html) == ["Sea Coral Reef x y"]
    assert read(html).text == "Sea Coral Reef x y"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=/1><span>Wind</span></a><a href=/2><span>Tide</span></a>", "Wind Tide"),
        ("<a href=/1>A</a><a href=/2>B</a><!-- x --><a href=/3>C</a>", "A B C"),
        ("<span>Monday</span><span>Storm</span><a href=/1>read</a>", "Monday Storm read"),
        ("<img alt=x><a href=/1>Alpha</a><img alt=y><a href=/2>Beta</a>", "Alpha Beta"),
        ("<a href=/1>Deep</a>tide<img src=x>sea", "Deeptide sea"),
        ("<span>3</span><span>comments</span><b>Price</b><span>ten</span>", "3 comments Price ten"),
        ("<span>Caf&eacute;</span><span></span><time>Риф</time>", "Café Риф"),
        ("<span>C&#97;f&#233;</span><span>&#x420;&#x438;ф</span>", "Café Риф"),
        ("<span>&#51;</span><span>comments</span>", "3 comments"),
        ("<b-card>Wind</b-card><q-item>Tide</q-item>", "Wind Tide"),
        ("word<a href=/1>s</a> <a href=/2>new</a>er", "words newer"),
        ("<span>O</span><span>nce</span> <span>r</span><span>e</span><span>d</span>", "Once red"),
        ("<b>co</b><i>ral</i> H<sub>2</sub>O long<wbr>word", "coral H2O longword"),
        ("<span>a.b</span><span>.c</span>", "a.b.c"),
        ("<span>&lt;</span><span>h2</span><span>&gt;</span>", "<h2>"),
        ("<span>&quot;</span><span>Reef</span><span>&#x22;</span>", '"Reef"'),
        ("<span>&Eacute;</span><span>cole</span>", "École"),
    ],
)
def test_neighbouring_elements_that_are_shown_apart_are_separate_words(
    html: str, text: str
) -> None:
    """Links beside each other, spans, pictures; not bold letters, drop caps and single letters."""
    reading = read(f"<div>{html}</div>", Limits())
    assert reading.text == text
    assert {link.context for link in reading.links} <= {text}


def test_an_anchor_with_enough_words_is_its_own_context() -> None:
    """Its ancestors are not used then."""
    assert contexts("<p>before <a href=/1>one two three four five</a> after</p>") == [
        "one two three four five"
    ]


def test_a_page_with_few_words_is_its_own_context() -> None:
    """The climb ends at the root."""
    assert contexts("<p>to <a href=/1>here</a></p>") == ["to here"]


def test_links_of_one_list_share_its_text() -> None:
    """Items that are too short have the list as context, not the page."""
    html = "<p>intro text of the page</p><ul>" + "".join(
        f"<li><a href=/{n}>item {n}</a> </li>" for n in range(3)
    )
    assert contexts(html) == ["item 0 item 1 item 2"] * 3


def test_contexts_are_as_small_in_scripts_without_spaces() -> None:
    """One Chinese sentence is one run of characters, and is enough."""
    sentence = "深海采矿对生态的影响" * 4
    assert contexts(f"<div>别的<p>{sentence}<a href=/1>新闻</a></p></div>") == [sentence + "新闻"]


def test_a_long_node_is_cut_around_the_anchor() -> None:
    """Distant text says little about the anchor."""
    limits = Limits(words_chars=40)
    words = " ".join(f"w{n}" for n in range(100))
    (context,) = contexts(f"<p>{words} <a href=/1>anchor</a> {words}</p>", limits)
    assert len(context) <= 40
    assert "w99 anchor w0" in context


def test_a_giant_node_is_read_only_near_the_anchor() -> None:
    """Siblings before and after it are read as far as there is room."""
    limits = Limits(words_chars=60)
    far = "<p>" + "far " * 200 + "</p>"
    html = f"{far}<p>before</p>text <a href=/1>anchor</a> tail<p>behind</p>{far}"
    (context,) = contexts(html, limits)
    assert len(context) <= 60
    assert "before text anchor tail behind" in context
    (context,) = contexts(f"start <a href=/1>anchor</a>{far}", limits)
    assert context.startswith("start anchor")


@pytest.mark.parametrize("flat", [True, False])
def test_the_work_is_linear_in_the_size_of_the_page(
    flat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted in characters that Python reads, for lists and for running text."""
    seen = 0
    collapsed = links.collapsed

    def counting(text: str, *more: Any) -> str:
        nonlocal seen
        seen += len(text)
        return collapsed(text, *more)

    for module in (link_context, links):
        monkeypatch.setattr(module, "collapsed", counting)
    work = []
    for number in (1_000, 5_000):
        seen = 0
        item = "{0} <a href=/{0}>a{0}</a> " if flat else "<li><a href=/{0}>a{0}</a></li>"
        html = "".join(item.format(n) for n in range(1_000_000, 1_000_000 + number))
        assert len(read(html, Limits(links=5_000)).links) == number
        work.append(seen)
    assert work[1] < 5.5 * work[0]
