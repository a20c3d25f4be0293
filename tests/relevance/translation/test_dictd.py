"""Dictionaries of dictd are read; a file that is none ends in one line that says what is wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_dictionary import GERMAN, write_dictd

from evocrawl.core.errors import SettingError
from evocrawl.relevance.translation import dictd
from evocrawl.relevance.translation.dictd import Dictd


def packed(texts: bytes) -> bytes:
    """Return texts as gzip packs them, without the time, which tests are named by."""
    return gzip.compress(texts, mtime=0)


@pytest.mark.parametrize("is_packed", [True, False])
@pytest.mark.parametrize("ending", ["", ".index", ".dict", ".dict.dz"])
def test_all_entries_are_read_by_any_of_its_names(
    tmp_path: Path, is_packed: bool, ending: str
) -> None:
    found = Dictd(write_dictd(tmp_path, "tiny-deu-eng", packed=is_packed) + ending)

    assert found.name == "tiny-deu-eng"
    assert dict(found.entries()) == {word.lower(): text for word, text in GERMAN.items()}
    assert found.about("short") == "A tiny dictionary"
    assert found.about("url") == ""


@pytest.mark.parametrize(
    ("index", "texts", "problem"),
    [
        (None, b"", "No such file"),
        (b"word\tA\tB\n", None, "No such file"),
        (b"word\tA\tB\n", b"\x1f\x8b\x08 damaged", "dict.dz"),
        (b"word\tA\tB\n", packed(b"x" * 90)[:-12], "dict.dz"),
        (b"word\tA\tB\n", b"plain text", "dict.dz"),
        (b"word\n", packed(b""), "line 1 of its index is no headword with two numbers"),
        (b"word\tA\t!\n", packed(b""), "line 1 of its index is no headword"),
        (b"word\tA\t\n", packed(b""), "line 1 of its index is no headword"),
        (b"a\tA\tA\nb\t////////\tB\n", packed(b""), "line 2 of its index is no headword"),
        (b"word\tA\t//////\n", packed(b"text"), "line 1 of its index points outside"),
        (b"word\t//////\tA\n", packed(b"text"), "line 1 of its index points outside"),
        (b"w\xf6rd\tA\tB\n", packed(b"x"), "its index is not in UTF-8"),
        (b"word\tA\tC\n", packed(b"\xf6\xf6"), "its texts are not in UTF-8"),
    ],
)
def test_a_bad_dictionary_is_refused(
    tmp_path: Path, index: bytes | None, texts: bytes | None, problem: str
) -> None:
    if index is not None:
        (tmp_path / "bad.index").write_bytes(index)
    if texts is not None:
        (tmp_path / "bad.dict.dz").write_bytes(texts)

    with pytest.raises(SettingError) as caught:
        [*Dictd(str(tmp_path / "bad")).entries()]

    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_and_files_that_are_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.index").mkdir()
    with pytest.raises(SettingError, match="directory"):
        Dictd(str(tmp_path / "folder"))

    place = write_dictd(tmp_path, "tiny")
    monkeypatch.setattr(dictd, "MOST_BYTES", 400)
    with pytest.raises(SettingError, match="its texts are larger than 400 bytes"):
        Dictd(place)
    monkeypatch.setattr(dictd, "MOST_BYTES", 100)
    with pytest.raises(SettingError, match="its index is larger than 100 bytes"):
        Dictd(place)


def test_an_entry_is_read_up_to_a_limit(tmp_path: Path) -> None:
    place = write_dictd(tmp_path, "long", {"word": "ä" * 50_000})

    ((_, text),) = Dictd(place).entries()

    assert 0 < len(text.encode()) <= dictd.LONGEST_ENTRY
    assert {*text} == {"ä"}


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(index=st.binary(max_size=60), texts=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path: Path, index: bytes, texts: bytes) -> None:
    (tmp_path / "any.index").write_bytes(index)
    (tmp_path / "any.dict").write_bytes(texts)
    try:
        assert all(isinstance(text, str) for _, text in Dictd(str(tmp_path / "any")).entries())
    except SettingError as error:
        assert "\n" not in str(error)
