"""Tables of word vectors in files."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.errors import SettingError
from evocrawl.relevance.vectors import shipped
from evocrawl.relevance.vectors import table as tables
from evocrawl.relevance.vectors.table import ABOUT, ROWS, WordTable, save_table

TERMS = ["sea", "floor", "coral", "reef", "né"]
MOST_BYTES = 4_000_000
FOLDER = Path(tables.__file__).with_name("english")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a small table."""
    save_table(tmp_path, TERMS, np.eye(5, 3) + 0.1, {"language": "en", "licence": "none"})
    return tmp_path


def test_a_term_is_found_at_any_place(folder: Path) -> None:
    """Each line of the terms belongs to one row of vectors."""
    table = WordTable(folder)
    assert (len(table), table.dimensions, table.language) == (5, 3, "en")
    for place, term in enumerate(TERMS):
        (row,) = table.find(term)
        expected = np.round((np.eye(5, 3) + 0.1)[place] * 127 / 1.1)
        assert table.rows[row].tolist() == expected.tolist()


def test_a_compound_of_two_known_terms_has_both(folder: Path) -> None:
    """A word that the table lacks is split; one that cannot be split has no vector."""
    table = WordTable(folder)
    assert table.find("seafloor") == table.find("sea") + table.find("floor")
    assert table.find("coralreef") == table.find("coral") + table.find("reef")
    assert (
        table.find("seax")
        == table.find("railway")
        == table.find("")
        == table.find("sea floor")
        == ()
    )


@given(st.text(max_size=30))
def test_any_term_is_found_or_not(term: str) -> None:
    """Also with lone surrogates."""
    assert all(0 <= row < len(shipped()) for row in shipped().find(term))


def test_the_shipped_table_is_small_and_names_its_source() -> None:
    """It comes in every wheel, and with its licence."""
    table = shipped()
    assert table.rows.nbytes + len((FOLDER / tables.TERMS).read_bytes()) <= MOST_BYTES
    assert table.language == "en"
    assert "Apache-2.0" in table.about["licence"]
    assert isinstance(table.rows, np.memmap)


def test_nothing_heavy_is_imported_for_the_shipped_table() -> None:
    """Only numpy, which evocrawl needs anyway."""
    code = (
        "import sys; from evocrawl.relevance import create; create('tfidf+vectors', 'coral');"
        "print(sorted({'sklearn', 'scipy', 'model2vec', 'tokenizers', 'torch'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def _remove(folder: Path) -> None:
    (folder / tables.TERMS).unlink()


def _other_encoding(folder: Path) -> None:
    (folder / tables.TERMS).write_bytes(b"\xff\n" * 5)


def _twice(folder: Path) -> None:
    (folder / tables.TERMS).write_text("sea\n" * 5)


def _other_dimension(folder: Path) -> None:
    np.save(folder / ROWS, np.zeros((4, 3), np.int8))


def _one_dimension(folder: Path) -> None:
    np.save(folder / ROWS, np.zeros(5, np.int8))


def _floats(folder: Path) -> None:
    np.save(folder / ROWS, np.zeros((5, 3)))


def _objects(folder: Path) -> None:
    np.save(folder / ROWS, np.array([[{}]]), allow_pickle=True)


def _garbage(folder: Path) -> None:
    (folder / ROWS).write_bytes(b"no array")


def _truncated(folder: Path) -> None:
    (folder / ROWS).write_bytes((folder / ROWS).read_bytes()[:-1])


def _list(folder: Path) -> None:
    (folder / ABOUT).write_text(json.dumps([]))


@pytest.mark.parametrize(
    "damage",
    [
        _remove,
        _other_encoding,
        _twice,
        _other_dimension,
        _one_dimension,
        _floats,
        _objects,
        _garbage,
        _truncated,
        _list,
    ],
)
def test_a_damaged_table_is_refused(folder: Path, damage: object) -> None:
    """In one line that names the file; no pickle is read."""
    damage(folder)  # type: ignore[operator]
    with pytest.raises(SettingError, match=r"^relevance is 'vectors:.*\.(npy|json|txt) ") as raised:
        WordTable(folder)
    assert "\n" not in str(raised.value)


def test_a_table_in_a_zip_file_is_read_into_memory(tmp_path: Path) -> None:
    """Scrapyd runs a project from a zipped egg."""
    save_table(tmp_path / "t", ["coral", "reef"], np.eye(2), {"language": "en"})
    with zipfile.ZipFile(tmp_path / "egg.zip", "w") as egg:
        for file in (tmp_path / "t").iterdir():
            egg.write(file, f"p/t/{file.name}")
    table = WordTable(zipfile.Path(tmp_path / "egg.zip", "p/t/"))
    assert [len(table.find(term)) for term in ("coral", "reef", "road")] == [1, 1, 0]
    assert table.language == "en"
