"""The topics of the documentation web."""

from pathlib import Path

from demo.topics import TOPICS, table, topics_of
from evocrawl.simulation.trials import read_topics


def test_a_page_that_names_the_terms_often_is_of_the_topic() -> None:
    """It must name them at least so often, and so often for each word."""
    about = "Commit or rollback: a transaction ends. Transactions nest. "
    assert "transaction" in topics_of("", about)
    assert "transaction" not in topics_of("", about + "Something else altogether. " * 200)
    assert "transaction" not in topics_of("", "A transaction.")


def test_part_of_a_word_is_no_term() -> None:
    """Terms are whole words."""
    assert not list(topics_of("", "clockwork blocked unlocks oclock " * 9))


def test_the_table_is_what_the_simulator_reads(tmp_path: Path) -> None:
    """It has both splits."""
    path = tmp_path / "topics.tsv"
    path.write_text(table())
    for split in ("dev", "check"):
        names = [each.name for each in TOPICS if each.split == split]
        assert [each.name for each in read_topics(path, split)] == names
