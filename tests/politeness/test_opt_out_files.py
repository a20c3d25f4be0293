"""ai.txt and tdmrep.json: their reservations, in any spelling."""

from __future__ import annotations

import fnmatch
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.politeness.opt_out_files import (
    AI_TXT,
    FILES,
    FOUND,
    TDMREP,
    AiRules,
    OptOutFile,
    Reservation,
    ServerOptOuts,
    TdmRules,
    answer_of,
)

PLACE = "http://h.test"
# The second example of the final report, and its rule for special characters.
RULES = [
    {"location": "/directory-a/", "tdm-reservation": 1},
    {"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "https://p.test/p.json"},
    {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0},
    {"location": "/exactly$", "tdm-reservation": 1},
    {"location": "/this/*/then", "tdm-reservation": 1},
    {"location": "/path/foo-%24", "tdm-reservation": 1},
    {"location": "http://H.test:80/own/", "tdm-reservation": 1},
    {"location": "http://other.test/own/too/", "tdm-reservation": 1},
    {"location": "/é/", "tdm-reservation": 1},
    {"location": "/invalid/", "tdm-reservation": 2},
    {"location": "/invalid/late/", "tdm-reservation": 1},
    {"location": "plain/", "tdm-reservation": "1"},
    {"tdm-reservation": 1},
    {"location": 3, "tdm-reservation": 1},
    "text",
]


@pytest.mark.parametrize(
    ("path", "is_reserved"),
    [
        ("/directory-a/x?y=1", True), ("/Directory-a/x", None),
        ("/directory-b/images/a/b.jpg", False),
        ("/directory-b/images/a.png", None), ("/exactly", True), ("/exactly/not", None),
        ("/exactly?q", None), ("/this/is/it/then/x", True), ("/this/then", None),
        ("/path/foo-$", True), ("/path/foo-%24", True), ("/own/1", True), ("/%C3%A9/", True),
        ("/x/../directory-a/", True), ("/directory%2Da/", True), ("/invalid/late/", None),
        ("/plain/x", True), ("/own/too/", True), ("/", None),
    ],
)  # fmt: skip
def test_the_first_rule_of_tdmrep_json_that_matches_decides(
    path: str, is_reserved: bool | None
) -> None:
    found = TdmRules(json.dumps(RULES).encode(), PLACE).of(PLACE + path)
    assert (found.is_reserved if found else None) == is_reserved


def test_a_reserved_page_has_the_conditions_of_its_rule() -> None:
    rules = TdmRules(b"\xef\xbb\xbf" + json.dumps(RULES).encode(), PLACE)
    assert rules.of(f"{PLACE}/directory-b/html/x") == Reservation(True, "https://p.test/p.json")
    single = TdmRules(json.dumps(RULES[0]).encode(), PLACE)
    assert single.of(f"{PLACE}/directory-a/") == Reservation(True)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[" * 200_000, b"{" * 9, b"1", b'"x"', b"null", b"\xff\xfe", b"[1",
        b"[" + b"9" * 9999 + b"]",
    ],
)  # fmt: skip
def test_a_tdmrep_json_of_another_form_declares_nothing(body: bytes) -> None:
    server = ServerOptOuts((OptOutFile(PLACE, TDMREP, FOUND, "", body),))
    assert server.unreadable == (TDMREP,)
    assert server.reservation(f"{PLACE}/x") is None
    assert server.size == 0


@given(
    st.text("ab*/", max_size=12).flatmap(lambda text: st.sampled_from([f"/{text}", f"*{text}"])),
    st.text("ab/", max_size=12).map(lambda text: f"/{text}"),
    st.booleans(),
)
def test_patterns_match_as_shell_patterns_do(pattern: str, path: str, is_whole: bool) -> None:
    rule = {"location": pattern + ("$" if is_whole else ""), "tdm-reservation": 1}
    found = TdmRules(json.dumps([rule]).encode(), PLACE).of(PLACE + path)
    expected = fnmatch.fnmatchcase(path, pattern + ("" if is_whole else "*"))
    assert (found is not None) == expected


def test_no_pattern_takes_long() -> None:
    """The search looks for each part of a pattern once."""
    pattern = "/" + "a*" * 60_000 + "b"
    rules = TdmRules(json.dumps([{"location": pattern, "tdm-reservation": 1}]).encode(), PLACE)
    assert rules.of(f"{PLACE}/{'a' * 8000}") is None


GENERATED = b"""# Spawning AI\r
# Prevent datasets from using the following file types\r
User-Agent: *\r
Disallow: *.html\r
Disallow: *.pdf\r
Allow: *.jpg\r
Disallow: /private/\r
\r
User-Agent: coralbot\r
Disallow: /\r
"""


@pytest.mark.parametrize(
    ("agent", "path", "is_allowed"),
    [
        ("", "/a.html", False), ("", "/a.pdf?x=1", False), ("", "/a.jpg", True), ("", "/a", False),
        ("", "/", False), ("", "/a.png", True), ("", "/private/a.png", False),
        ("otherbot", "/a.html", False), ("coralbot", "/a.png", False),
    ],
)  # fmt: skip
def test_ai_txt_forbids_types_and_paths(agent: str, path: str, is_allowed: bool) -> None:
    """An address without a type counts as a page of HTML."""
    assert AiRules(GENERATED, agent).allows(PLACE + path) == is_allowed


@pytest.mark.parametrize(
    ("body", "is_allowed"),
    [
        (b"User-Agent: *\nDisallow: /\nDisallow: *\n", False), (b"User-Agent: *\nAllow: /\n", True),
        (b"User-Agent: GPTBot\nDisallow: /\n", True), (b"Disallow: /\n", True), (b"", True),
        (b"User-agent: *\nDisallow:\n", True), (b"User-agent: *\rDisallow: *\r", False),
    ],
)  # fmt: skip
def test_ai_txt_has_the_groups_of_robots_txt(body: bytes, is_allowed: bool) -> None:
    assert AiRules(body, "evocrawl").allows(f"{PLACE}/a") == is_allowed


@pytest.mark.parametrize(
    ("status", "content_type", "body", "answer"),
    [
        (200, "text/plain", b"User-Agent: *", "found"), (200, "", b"", "found"),
        (404, "text/plain", b"User-Agent: *", "none"), (403, "", b"", "none"),
        (301, "", b"", "none"), (429, "", b"", "failed"), (503, "", b"", "failed"),
        (200, "text/html; charset=utf-8", b"Welcome", "none"),
        (200, "", b" \n<!doctype html>", "none"),
        (200, "application/octet-stream", b"\x00\x01\x02" * 99, "none"),
    ],
)  # fmt: skip
def test_a_page_in_place_of_ai_txt_is_no_file(
    status: int, content_type: str, body: bytes, answer: str
) -> None:
    assert answer_of(AI_TXT, status, content_type, body) == answer


@given(st.binary(max_size=200))
def test_rows_are_read_back_or_refused(body: bytes) -> None:
    for path in FILES:
        file = OptOutFile(PLACE, path, FOUND, "bot", body)
        assert OptOutFile.unpack(PLACE, path, file.pack()) == file
    with pytest.raises(ValueError, match=r"no opt-out file|not enough values"):
        OptOutFile.unpack(PLACE, AI_TXT, b"[1]\n" + body)


def test_a_server_forbids_and_reserves_by_the_files_that_it_has() -> None:
    """A file that was not found declares nothing, also if it has a body."""
    ai, tdm = b"User-Agent: *\nDisallow: *.pdf\n", json.dumps(RULES[:2]).encode()
    both = ServerOptOuts(
        (OptOutFile(PLACE, AI_TXT, FOUND, "", ai), OptOutFile(PLACE, TDMREP, FOUND, "", tdm))
    )
    assert both.answers == {AI_TXT: FOUND, TDMREP: FOUND}
    assert (both.size, both.unreadable) == (3, ())
    assert both.forbids(f"{PLACE}/a.pdf")
    assert not both.forbids(f"{PLACE}/a.png")
    assert both.reservation(f"{PLACE}/directory-a/x") == Reservation(True)
    assert both.reservation(f"{PLACE}/x") is None
    absent = ServerOptOuts(
        (OptOutFile(PLACE, AI_TXT, "none", "", ai), OptOutFile(PLACE, TDMREP, "failed", "", tdm))
    )
    assert absent.answers == {AI_TXT: "none", TDMREP: "failed"}
    assert (absent.size, absent.unreadable) == (0, ())
    assert not absent.forbids(f"{PLACE}/a.pdf")
    assert absent.reservation(f"{PLACE}/directory-a/x") is None
    late = OptOutFile(PLACE, TDMREP, FOUND, "", tdm)
    assert ServerOptOuts((OptOutFile(PLACE, AI_TXT, "none"), late)).size == 2


@pytest.mark.parametrize(
    ("location", "path", "is_reserved"),
    [
        ("/x%2Fy", "/x%2fy", True), ("/x%2Fy", "/x/y", False), ("/x%2Fy", "/x2Fy", False),
        ("/x%2Fy", "/x2fy", False), ("/caf%c3%a9", "/caf%C3%A9", True), ("/%41", "/A", True),
        ("http://h.test/q?x=1", "/q?x=1", True), ("http://h.test/q?x=1", "/qx=1", False),
    ],
)  # fmt: skip
def test_an_escaped_character_is_itself_only_if_it_is_unreserved(
    location: str, path: str, is_reserved: bool
) -> None:
    """A slash that is escaped parts no folders (RFC 3986 §2.2)."""
    rule = [{"location": location, "tdm-reservation": 1}]
    found = TdmRules(json.dumps(rule).encode(), PLACE).of(PLACE + path)
    assert (found is not None) == is_reserved
