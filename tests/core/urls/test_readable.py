"""The words of an address."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.text.words import words
from evocrawl.core.urls.readable import readable


@given(
    st.builds(
        "{}://{}{}{}{}".format,
        st.sampled_from(["http", "https", "HTTP", "ftp"]),
        st.sampled_from(["a.test", "A.test:80", "u:p@a.test", "[::1]", "[", "é.test", "a:x"]),
        st.text("/a.;_%41é ", max_size=9),
        st.text("?/.=_+", max_size=5),
        st.text("#/?", max_size=3),
    )
)
def test_a_url_is_split_as_urlsplit_splits_it(url: str) -> None:
    """This holds for each URL that is split without `urlsplit`, too."""
    try:
        parts = urlsplit(url)
    except ValueError:
        assert readable(url) == ""
    else:
        path = re.sub(r"\.(?:x?html?|php|aspx?)\Z|/index\.[a-z]+\Z", "", parts.path)
        assert readable(url) == unquote(f"{path} {parts.query}".replace("_", " "))


def test_a_url_is_read_without_its_ending() -> None:
    """A malformed URL gives an empty text."""
    assert readable("http://a.test/Red_Kite.htm?x=1").split() == ["/Red", "Kite", "x=1"]
    assert readable("http://[/x") == readable("http://a.test/\x00") == ""


def test_the_words_of_an_address_keep_their_marks() -> None:
    """Percent-encoded ones, too; the host is left out."""
    assert words(readable("http://coral.test/korallen-bleiche/%C3%BCber.php?id=7")) == [
        "korallen", "bleiche", "über", "id", "7",
    ]  # fmt: skip
    hindi = "http://a.test/%E0%A4%AA%E0%A5%8D%E0%A4%B0%E0%A4%B5%E0%A4%BE%E0%A4%B2_x"
    assert words(readable(hindi)) == ["प्रवाल", "x"]
