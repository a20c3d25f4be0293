"""Bytes that are text, and others."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.text.binary import is_binary

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn", "Co"))))
def test_text_is_not_binary_in_any_encoding_of_unicode(encoding: str, text: str) -> None:
    """With a mark where the encoding has one."""
    assert not is_binary(text.encode(encoding))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("サンゴの白化が起こる" * 20, "shift_jis"), ("サンゴの白化が起こる" * 20, "iso-2022-jp"),
     ("珊瑚白化" * 50, "gb18030"), ("Обесцвечивание кораллов" * 9, "cp1251"),
     ("Coral bleaching\r\n" * 20, "utf-16-le"), ("Coral bleaching\n" * 20, "utf-16-be"),
     ("Korallenbleiche, \u201eRiffe\u201c" * 9, "cp1252")],
)  # fmt: skip
def test_text_is_not_binary_in_older_encodings(text: str, encoding: str) -> None:
    """UTF-16 without its mark is known by its zeros."""
    assert not is_binary(text.encode(encoding))


@pytest.mark.parametrize(
    "data",
    [random.Random(1).randbytes(3000), bytes(500), b"\x89PNG\r\n\x1a\n" + bytes(13) + b"IHDR" * 5,
     b"\x7fELF\x02\x01\x01" + bytes(9) + b"text " * 20, b"PK\x03\x04" + bytes(60) + b"name.txt"],
    ids=["random", "zeros", "PNG", "ELF", "ZIP"],
)  # fmt: skip
def test_pictures_archives_and_programs_are_binary(data: bytes) -> None:
    """Also with some text in them."""
    assert is_binary(data)
