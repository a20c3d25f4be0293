"""Reads the option `relevance`: one model or a mix of several, each with a weight and an argument.

::

    mix   = part *("+" part)
    part  = [weight "*"] name [":" argument]

An argument that contains a plus sign is put in quotes: ``regex:"coral.+reef"+0.5*tfidf``.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import regex

from evocrawl.core.errors import SettingError

ALLOWED = (
    'the name of a relevance model, or several with weights such as "0.7*tfidf+0.3*vectors";'
    ' an argument with a plus sign stands in quotes, as in regex:"a.+b"'
)

_LEAST = 1e-6
"""The least weight, and the reciprocal of the greatest, so that no sum of them overflows."""

_PART = regex.compile(
    r"""\s*+
    (?:(?P<weight>[^*:"'+]*?)\s*\*)?+\s*+
    (?P<name>[^*+:"'\s]++)\s*+
    (?::\s*+(?P<argument>"[^"]*+"|'[^']*+'|(?!["'])[^+]*+))?+
    \s*+(?:(?P<more>\+)|$)""",
    regex.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class MixPart:
    """One model of a mix: its `weight` above 0, its `name` and its `argument`, "" without one."""

    weight: float
    name: str
    argument: str = ""


def parse_mix(text: str) -> tuple[MixPart, ...]:
    """Return the models of a mix whose weight is above 0, in their order.

    Raises SettingError for text of another form, a weight below 0, weights that are all 0, a colon
    without an argument, and a model that is named twice with one argument.

    >>> parse_mix("2*tfidf + regex:'a.+b'")
    (MixPart(weight=2.0, name='tfidf', argument=''), MixPart(weight=1.0, name='regex', \
argument='a.+b'))
    """
    parts, place = [], 0
    while True:
        found = _PART.match(text, place)
        if found is None:
            raise SettingError("relevance", text, ALLOWED)
        argument = (found["argument"] or "").strip()
        if found["argument"] is not None and not argument:
            allowed = f"{found['name']} without a colon, or with an argument after it"
            raise SettingError("relevance", text, allowed)
        if argument.startswith(("'", '"')):
            argument = argument[1:-1]
        parts.append(MixPart(_weight(found["weight"], text), found["name"], argument))
        if not found["more"]:
            break
        place = found.end()
    named = [(part.name, part.argument) for part in parts]
    twice = next((name for name, times in Counter(named).items() if times > 1), None)
    if twice is not None:
        allowed = f"each model once; a weight makes it count for more, as in 2*{twice[0]}"
        raise SettingError("relevance", text, allowed)
    used = tuple(part for part in parts if part.weight > 0)
    if not used:
        raise SettingError("relevance", text, "at least one weight above 0")
    return used


def _weight(written: str | None, text: str) -> float:
    if written is None:
        return 1.0
    try:
        weight = float(written)
    except ValueError:
        weight = math.nan
    if weight != 0 and not _LEAST <= weight <= 1 / _LEAST:
        allowed = f"weights of 0 or from {_LEAST:g} to {1 / _LEAST:g}, not {written.strip()!r}"
        raise SettingError("relevance", text, allowed)
    return weight
