"""IF-THEN rules of BioCrawlers, and the manager through which crawlers exchange them.

Batzios et al. 2008, §3.3.3 and §3.4. IF the domains of the condition are all in sight THEN follow
the target's domain. A rule has a strength: the gain from following it is added, each use costs a
tax, and a rule below the least strength is forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

LEAST_STRENGTH = 20.0
"""A weaker rule is forgotten; a new one begins with this plus its gain (table 3)."""

MANAGED = 20
"""Number of rules that the manager keeps, and that a crawler sends to it (table 3)."""

LEAST_MANAGED = 25.0
"""Least strength of the rules of the manager (table 3)."""


Key: TypeAlias = tuple[tuple[str, ...], str]
"""Condition and target, which identify a rule."""


@dataclass(slots=True)
class Rule:
    """IF all domains of `condition` are in sight THEN follow `target`, which is one of them."""

    condition: tuple[str, ...]
    target: str
    strength: float


@dataclass(slots=True)
class Rules:
    """A crawler's rules by their target; each pair of condition and target has one rule."""

    by_target: dict[str, list[Rule]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Rule]:
        return (rule for rules in self.by_target.values() for rule in rules)

    def __len__(self) -> int:
        return sum(map(len, self.by_target.values()))

    def strongest(self, domains: Collection[str]) -> Rule | None:
        """Return the strongest rule that matches the `domains` in sight, the oldest on a tie.

        Runtime complexity: O(domains + rules of these targets), for a set or a mapping.
        """
        best = None
        for domain in domains:
            for rule in self.by_target.get(domain, ()):
                if (best is None or rule.strength > best.strength) and all(
                    each in domains for each in rule.condition
                ):
                    best = rule
        return best

    def learn(self, condition: tuple[str, ...], target: str, strength: float) -> None:
        """Add a rule; one with the same condition and target keeps the greater strength."""
        rules = self.by_target.setdefault(target, [])
        for rule in rules:
            if rule.condition == condition:
                rule.strength = max(rule.strength, strength)
                return
        rules.append(Rule(condition, target, strength))

    def forget(self, rule: Rule) -> None:
        """Remove a rule if it is too weak."""
        rules = [each for each in self.by_target.get(rule.target, ()) if each is not rule]
        if rules:
            self.by_target[rule.target] = rules
        else:
            self.by_target.pop(rule.target, None)

    def best(self) -> list[Rule]:
        """Return the rules to propose to the manager, strongest first. O(rules)."""
        strong = [rule for rule in self if rule.strength >= LEAST_MANAGED]
        return sorted(strong, key=_by_strength)[:MANAGED]

    def copy(self) -> Rules:
        """Return an independent copy of the rules."""
        copied = Rules()
        for rule in self:
            copied.learn(rule.condition, rule.target, rule.strength)
        return copied


class RuleManager:
    """Keeps the best rules of all crawlers, each with the strength at its last proposal.

    If several populations share a crawl, each has a manager, and the managers exchange rules:
    `unsent` has the strengths that were not sent yet, of rules that are among the best of any
    manager.
    """

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.unsent: dict[Key, float] = {}
        self._common: dict[Key, float] = {}

    def propose(self, rules: Iterable[Rule]) -> None:
        """Add a crawler's best rules, and keep the strongest of all."""
        proposed = _strengths(rules)
        self._keep(_strengths(self.rules) | proposed)
        best = self._common.keys() | _strengths(self.rules).keys()
        self.unsent = {key: now for key, now in (self.unsent | proposed).items() if key in best}

    def merge(self, rules: Iterable[Rule], sent: Mapping[Key, float]) -> None:
        """Keep the best of the common rules of all managers, which include those `sent` before."""
        self.unsent = {key: was for key, was in self.unsent.items() if sent.get(key) != was}
        self._common = _strengths(rules)
        self._keep(self._common | self.unsent)

    def _keep(self, known: dict[Key, float]) -> None:
        strong = [Rule(*key, strength) for key, strength in known.items()]
        strong = [rule for rule in strong if rule.strength >= LEAST_MANAGED]
        self.rules = sorted(strong, key=_by_strength)[:MANAGED]


@runtime_checkable
class Managed(Protocol):
    """A learning rule whose crawlers exchange their rules through a manager."""

    @property
    def manager(self) -> RuleManager:
        """The manager of this population."""


def _strengths(rules: Iterable[Rule]) -> dict[Key, float]:
    return {(rule.condition, rule.target): rule.strength for rule in rules}


def _by_strength(rule: Rule) -> tuple[float, str, tuple[str, ...]]:
    return -rule.strength, rule.target, rule.condition
