"""IF-THEN rules and their manager."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.species.biocrawler.rules import LEAST_MANAGED, MANAGED, Rule, RuleManager, Rules


def rules(*known: tuple[str, str, float]) -> Rules:
    """Return rules with these conditions (a letter a domain), targets and strengths."""
    made = Rules()
    for condition, target, strength in known:
        made.learn(tuple(condition), target, strength)
    return made


@pytest.mark.parametrize(
    ("sight", "target"),
    [("abc", "b"), ("ac", "a"), ("ab", "b"), ("bc", "b"), ("c", None), ("", None), ("d", None)],
)
def test_the_strongest_rule_with_its_condition_in_sight_is_chosen(sight: str, target: str) -> None:
    """All domains of the condition must be in sight."""
    known = rules(("a", "a", 30), ("b", "b", 50), ("cd", "d", 90), ("cd", "c", 80))
    found = known.strongest(set(sight))
    assert (found.target if found else None) == target


def test_a_rule_learnt_again_keeps_the_greater_strength() -> None:
    """It is one rule, not two."""
    known = rules(("ab", "a", 30), ("ab", "a", 40), ("ab", "a", 35), ("a", "a", 20))
    assert sorted((rule.condition, rule.strength) for rule in known) == [
        (("a",), 20),
        (("a", "b"), 40),
    ]


def test_a_forgotten_rule_is_removed_and_others_stay() -> None:
    """Also those of the same target."""
    known = rules(("a", "a", 30), ("ab", "a", 40))
    strongest = known.strongest({"a", "b"})
    assert strongest is not None
    known.forget(strongest)
    known.forget(strongest)
    assert [rule.condition for rule in known] == [("a",)]
    known.forget(next(iter(known)))
    assert len(known) == 0
    assert known.strongest({"a"}) is None


def test_a_copy_changes_independently() -> None:
    """A child does not change its parent's rules."""
    known = rules(("a", "a", 30))
    next(iter(known.copy())).strength = 5
    assert next(iter(known)).strength == 30


def test_only_strong_rules_are_proposed() -> None:
    """The strongest first, as many as the manager keeps."""
    known = rules(*(("a", str(number), float(number)) for number in range(60)))
    best = known.best()
    assert [rule.strength for rule in best] == [float(number) for number in range(59, 39, -1)]
    assert rules(("a", "a", LEAST_MANAGED - 0.1)).best() == []


def test_the_manager_keeps_the_strength_of_the_last_proposal() -> None:
    """A rule that has become weaker is weaker for all."""
    manager = RuleManager()
    manager.propose([Rule(("a",), "a", 40), Rule(("b",), "b", 30)])
    manager.propose([Rule(("a",), "a", 26)])
    assert [(rule.target, rule.strength) for rule in manager.rules] == [("b", 30), ("a", 26)]


_RULES = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdefgh"), st.floats(0, 99))
)


@given(st.lists(_RULES, max_size=5))
def test_the_manager_keeps_few_strong_rules_each_once(
    proposals: list[list[tuple[str, str, float]]],
) -> None:
    """This holds for any proposals in any order."""
    manager = RuleManager()
    for some in proposals:
        manager.propose(rules(*some))
    kept = manager.rules
    assert len(kept) <= MANAGED
    assert all(rule.strength >= LEAST_MANAGED for rule in kept)
    assert len({(rule.condition, rule.target) for rule in kept}) == len(kept)
    strengths = [rule.strength for rule in kept]
    assert strengths == sorted(strengths, reverse=True)


def test_the_manager_has_rules_of_its_own() -> None:
    """A crawler that changes its rules later does not change those of the manager."""
    manager, rule = RuleManager(), Rule(("a",), "a", 40)
    manager.propose([rule])
    rule.strength = 99
    assert manager.rules[0].strength == 40


def test_managers_that_exchange_rules_have_the_same_rules() -> None:
    """Rules proposed during an exchange are not lost, and sent rules are not sent again."""
    manager = RuleManager()
    manager.propose([Rule(("a",), "a", 30.0)])
    sent = dict(manager.unsent)
    manager.propose([Rule(("b",), "b", 40.0)])
    manager.merge([Rule(("c",), "c", 50.0), Rule(("a",), "a", 30.0)], sent)
    assert [rule.target for rule in manager.rules] == ["c", "b", "a"]
    assert manager.unsent == {(("b",), "b"): 40.0}


@given(st.lists(st.tuples(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), st.floats(0, 99))))
def test_the_number_of_unsent_rules_is_bounded(proposals: list[tuple[str, float]]) -> None:
    """Without any exchange, too: only the best rules are unsent."""
    manager = RuleManager()
    for target, strength in proposals:
        manager.propose([Rule((target,), target, strength)])
        assert manager.unsent.keys() == {(rule.condition, rule.target) for rule in manager.rules}
