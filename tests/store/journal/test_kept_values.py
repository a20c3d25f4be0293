"""Values that a crawl stores beside its journal are read by the next run, the last of each key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evocrawl.core.errors import StateError
from evocrawl.store.journal.kept_values import KeptValues
from evocrawl.store.journal.operations import Spent
from evocrawl.store.journal.sqlite_journal import SqliteJournal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
STEPS = st.lists(
    st.tuples(st.sampled_from("abc"), VALUES | st.just("forget"), st.booleans()), max_size=12
)


@given(steps=STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_kept_values_are_a_dictionary_that_lasts(
    steps: list[tuple[str, Any, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Committed values are read by the next run; changes after the last commit are not."""
    path = tmp_path_factory.mktemp("kept") / "state"
    journal = SqliteJournal(path, {})
    expected: dict[str, Any] = {}
    committed: dict[str, Any] = {}
    for key, value, commits in steps:
        if value == "forget":
            journal.kept.forget(key)
            expected.pop(key, None)
        else:
            journal.kept.keep(key, value)
            expected[key] = value
        if commits:
            journal.commit()
            committed = dict(expected)
            assert journal.kept_values() == committed
    journal.close()
    again = SqliteJournal(path, {})
    assert again.kept_values() == committed
    again.close()


def test_a_state_without_the_table_gets_it(tmp_path: Path) -> None:
    """Values are written together with operations, and values alone make a commit."""
    journal = SqliteJournal(tmp_path / "state", {})
    journal.append(Spent(None))
    journal.commit()
    journal._database.execute("DROP TABLE kept")
    journal.close()
    journal = SqliteJournal(tmp_path / "state", {})
    journal.kept.keep("a", 1)
    journal.commit()
    assert (journal.kept_values(), list(journal.ops())) == ({"a": 1}, [Spent(None)])
    journal._database.execute("UPDATE kept SET value = '{'")
    with pytest.raises(StateError, match="a kept value is damaged"):
        journal.kept_values()
    journal.close()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, float("-inf")]])
def test_a_number_that_json_does_not_have_is_refused(value: Any) -> None:
    """Otherwise the next run could not read any value."""
    kept = KeptValues()
    with pytest.raises(ValueError, match="Out of range float"):
        kept.keep("a", value)
    assert not kept
