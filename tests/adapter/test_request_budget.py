"""The budget is never exceeded, and reserved requests are kept for their visits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.budget import Budget

ACTIONS = st.lists(
    st.tuples(st.sampled_from(["reserve", "spend", "release", "spend other"]), st.integers(0, 5)),
    max_size=60,
)


@given(st.integers(0, 12), ACTIONS)
def test_the_limit_holds_after_any_actions(limit: int, actions: list[tuple[str, int]]) -> None:
    """Spent and reserved requests together never exceed the limit."""
    budget, promised, spent = Budget(limit), set[int](), 0
    for action, visit in actions:
        left = limit - spent - len(promised)
        assert budget.left == left
        match action:
            case "reserve" if left:
                budget.reserve(visit)
                promised.add(visit)
            case "reserve":
                with pytest.raises(ValueError, match=f"budget of {limit}"):
                    budget.reserve(visit)
            case "release":
                budget.release(visit)
                promised.discard(visit)
            case _:
                who = visit if action == "spend" else None
                allowed = who in promised or left > 0
                assert budget.spend(who) is allowed
                spent += allowed
                promised.discard(visit if action == "spend" else -1)
        assert budget.spent == spent <= limit
        assert budget.exhausted == (spent == limit)


def test_a_reserved_request_is_kept_when_the_budget_ends() -> None:
    """Other requests cannot use the request that a chosen visit has reserved."""
    budget = Budget(3)
    budget.reserve(7)
    assert [budget.spend(None) for _ in range(4)] == [True, True, False, False]
    assert not budget.exhausted
    assert budget.spend(7)
    assert budget.exhausted
    assert not budget.spend(7)


def test_a_reserved_request_that_is_not_used_is_given_back() -> None:
    """A dropped visit costs no request."""
    budget = Budget(1)
    budget.reserve(1)
    assert budget.left == 0
    budget.release(1)
    assert budget.left == 1
    assert budget.spent == 0


def test_without_a_limit_requests_are_only_counted() -> None:
    """The limit None is never reached."""
    budget = Budget()
    budget.reserve(1)
    assert all(budget.spend(None) for _ in range(1000))
    assert (budget.spent, budget.left, budget.exhausted) == (1000, None, False)


def test_a_limit_below_what_is_spent_leaves_nothing() -> None:
    """A crawl that is resumed with a smaller budget sends no request."""
    budget = Budget(5)
    for visit in range(3):
        budget.reserve(visit)
        budget.spend(visit)
    budget.limit = 2
    assert budget.left == 0
    assert budget.exhausted
    assert not budget.spend(None)
