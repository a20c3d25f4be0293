"""What a page says of itself: title, language, canonical address, robots, fingerprint, caps."""

from __future__ import annotations

import pytest

from evocrawl.extraction import Limits, ParsedPage, parse_html

PAGE = "http://a.test/dir/page.html"


def read(html: str, limits: Limits | None = None) -> ParsedPage:
    return parse_html(html.encode(), PAGE, limits=limits or Limits())


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A \n title </title><h1>H</h1>", "A title"),
        ("<title></title><h1>A <b>h</b></h1>", "A h"),
        ("<h1> </h1><h1>Second</h1>", "Second"),
        ("<title>&lt;b&gt;</title>", "<b>"),
        ("<p>no title</p>", ""),
        ("<title>First</title><svg><title>Icon</title></svg>", "First"),
    ],
)
def test_title(html: str, title: str) -> None:
    """The first title element with text, or else heading."""
    assert read(html).title == title


@pytest.mark.parametrize(
    ("html", "header", "language"),
    [
        ("<html lang=de-AT><p>x", "en", "de"),
        ("<html lang=' EN_us'><p>x", "", "en"),
        ("<html><p>x", "fr, en", "fr"),
        ("<html lang=''><p>x", "fr", "fr"),
        (
            "<html lang=english><p>"
            + "Die Korallen sterben, weil das Wasser des Meeres zu warm geworden ist. " * 9,
            "",
            "de",
        ),
        ("<p>" + "The reef is dying because the sea is getting warmer. " * 9, "", "en"),
        ("", "", ""),
    ],
)
def test_language(html: str, header: str, language: str) -> None:
    """Declared by the page or by the header, or else detected in the text."""
    assert parse_html(html.encode(), PAGE, content_language=header).language == language


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<link rel='Canonical shortlink' href=/c>", "http://a.test/c"),
        ("<link rel=canonical href='http://b.test/x'>", "http://b.test/x"),
        ("<link rel=canonical><link rel=canonical href=c>", "http://a.test/dir/c"),
        ("<link rel=canonical href='http://[bad'>", None),
        ("<link rel=canonical href=c><base href='/b/'>", "http://a.test/b/c"),
        ("<link rel=canonical href='javascript:x'>", None),
        ("<link rel=stylesheet href=/c>", None),
    ],
)
def test_canonical_url(html: str, url: str | None) -> None:
    """Absolute, by the page's base; a URL of another scheme than http(s) is left out."""
    assert read(html).canonical_url == url


@pytest.mark.parametrize(
    ("headers", "meta", "noindex", "nofollow"),
    [
        ([], "", False, False),
        (["noindex"], "", True, False),
        (["NoIndex , NOFOLLOW"], "", True, True),
        (["noarchive", "nofollow"], "", False, True),
        (["none"], "", True, True),
        (["otherbot: noindex"], "", False, False),
        (["otherbot: noindex, nofollow"], "", False, False),
        (["evocrawl: noindex"], "", True, False),
        (["EvoCrawl: none"], "", True, True),
        (["otherbot: noindex", "evocrawl: nofollow"], "", False, True),
        (["max-snippet: 10, noindex"], "", True, False),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], "", False, False),
        (["noindex, max-image-preview: large"], "", True, False),
        (["noindexing"], "", False, False),
        (["noindex; nofollow"], "", True, True),
        (["noindex nofollow"], "", True, True),
        (['"nofollow"'], "", False, True),
        (["'noindex', nofollow"], "", True, True),
        (["*: nofollow"], "", False, True),
        (["noindex, otherbot: nofollow"], "", True, False),
        (["noindex, evocrawl: nofollow"], "", True, True),
        (["evocrawl: noindex, otherbot: nofollow"], "", True, False),
        (["otherbot: max-snippet: 20, nofollow"], "", False, False),
        (["unavailable_after: Wednesday, 25-Jun-10 15:00:00 PST, nofollow"], "", False, True),
        (["noindex:"], "", True, False),
        ([], "<meta name=robots content=noindex>", True, False),
        ([], "<meta name=' ROBOTS' content='NOFOLLOW'>", False, True),
        ([], "<meta name=evocrawl content=none>", True, True),
        ([], "<meta name=otherbot content=none>", False, False),
        ([], "<body><meta name=robots content=noindex>", True, False),
        ([], "<meta name=robots>", False, False),
        (["nofollow"], "<meta name=robots content=noindex>", True, True),
    ],
)
def test_robots_directives(headers: list[str], meta: str, noindex: bool, nofollow: bool) -> None:
    """B096: headers and meta elements add up; what is for others has no effect."""
    reading = parse_html(f"{meta}<p>x".encode(), PAGE, robots_tags=headers)
    assert (reading.noindex, reading.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("深海", "zh"), ("深海采矿对生态的影响", "zh"), ("サンゴ礁の白化", "ja"),
        ("산호 백화", "ko"),
        ("ปะการังฟอกขาว", "th"), ("отбеливание", "ru"), ("знебарвлення коралів", "uk"),
        ("شعاب مرجانية", "ar"), ("λεύκανση", "el"), ("שונית", "he"), ("Coral", ""),
        ("12 345 6789", ""),
        ("The coral reefs of the world are dying, and the sea is warm", "en"),
        ("The coral reefs of Japan (日本) and of the world are dying in warm water", "en"),
        (30 * "深海采矿对生态的影响" + "の", "zh"),
    ],
)  # fmt: skip
def test_language_of_short_texts(text: str, language: str) -> None:
    """B025: a few words in a script of their own decide; a few foreign words in a text do not."""
    assert read(f"<p>{text}</p>").language == language


def test_fingerprint_is_of_the_text_and_not_its_case_or_markup() -> None:
    """Pages with equal texts are duplicates, also with different surroundings; others are not."""
    first = read("<p>Some text\n about Reefs.</p>")
    same = read("<title>T</title><script>x</script><div>some text about <b>reefs</b>.</div>")
    other = read("<p>Some text about reefs!</p>")
    assert first.content_fingerprint == same.content_fingerprint != other.content_fingerprint
    assert len(first.content_fingerprint) == 12
    assert first.content_fingerprint.hex() == "be58b3c12f8102e751526329"


def test_body_bytes_cap() -> None:
    """The beginning of a giant page is read."""
    reading = read("<a href=/1>x</a>" + " " * 100 + "<a href=/2>y</a>", Limits(body_bytes=50))
    assert [link.url for link in reading.links] == ["http://a.test/1"]
    assert reading.truncated == ("body_bytes",)


def test_links_cap() -> None:
    """The first links are kept; a repetition of one of them does not count."""
    html = "<a href=/1>x</a><a href=/2>x</a><a href=/1>x</a>"
    assert read(html, Limits(links=2)).truncated == ()
    reading = read(html + "<a href=/3>x</a>", Limits(links=2))
    assert [link.url for link in reading.links] == ["http://a.test/1", "http://a.test/2"]
    assert reading.truncated == ("links",)


def test_text_chars_cap() -> None:
    """The beginning of a giant text is kept."""
    reading = read("<p>0123456789</p>", Limits(text_chars=5))
    assert reading.text == "01234"
    assert reading.truncated == ("text_chars",)
    assert read("<p>0123456789</p>", Limits(text_chars=10)).truncated == ()


def test_tag_bytes_cap() -> None:
    """A tag of just so many bytes keeps its attributes."""
    tag = "<a href=/1 title='>'>"
    assert len(read(f"{tag}x</a>", Limits(tag_bytes=len(tag))).links) == 1
    reading = read(f"{tag}x</a>", Limits(tag_bytes=len(tag) - 1))
    assert reading.links == ()
    assert reading.text == "x"
    assert reading.truncated == ("attributes",)


def test_url_chars_cap() -> None:
    """An address that no browser takes is malformed."""
    reading = read("<a href=/1234>x</a><a href=/12345>x</a>", Limits(url_chars=18))
    assert [link.url for link in reading.links] == ["http://a.test/1234"]
    assert reading.malformed_links == 1


def test_words_chars_cap() -> None:
    """Title, anchor and context are cut, each."""
    reading = read("<title>0123456789</title><a href=/1>0123456789</a>", Limits(words_chars=4))
    (link,) = reading.links
    assert (reading.title, link.anchor, link.context) == ("0123", "0123", "0123")
