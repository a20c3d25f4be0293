"""Parses arguments: whole numbers, numbers, and errors in one line that name the nearest name."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from evocrawl.core.config.hints import did_you_mean, value_hint
from evocrawl.core.sanitize import mask_secrets, one_line

_CHOICE = re.compile(r"(.*)invalid choice: ['\"]?(.*?)['\"]? \(choose from (.*)\)", re.S)


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line: what is wrong and what to write instead."""

    def error(self, message: str) -> NoReturn:
        """Print `message` with the nearest known name; exit with 2."""
        text = one_line(mask_secrets(self._explained(message)), 1000)
        self.exit(2, f"{self.prog}: error: {text}; see {self.prog} --help\n")

    def _explained(self, message: str) -> str:
        choice = _CHOICE.match(message)
        if choice is None:
            return message
        known = [each.strip(" '\"") for each in choice[3].split(",")]
        hint = did_you_mean(choice[2], known)
        problem = f"{choice[1]}{choice[2]!r} is not one of {', '.join(known)}"
        return problem + (f"; {hint}" if hint else "")

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse the arguments; one that is unknown is an error of the command it was given to."""
        given = sys.argv[1:] if args is None else args
        for each in self._own(given):
            if not any(known.startswith(each.partition("=")[0]) for known in self._options()):
                self.error(self._unknown(each))
        found, rest = super().parse_known_args(given, namespace)
        if rest:
            self.error(self._unknown(rest[0]))
        return found, rest

    def _own(self, given: Sequence[str]) -> Iterator[str]:
        """Yield the long options that are for this parser and not for one of its commands."""
        for each in given:
            if each == "--" or (self._subparsers is not None and not each.startswith("-")):
                return
            if each.startswith("--") and " " not in each:
                yield each

    def _options(self) -> list[str]:
        return [each for each in self._option_string_actions if each.startswith("--")]

    def _unknown(self, argument: str) -> str:
        if not argument.startswith("-"):
            return f"{argument!r} is one argument too many"
        name = argument.partition("=")[0]
        hint = did_you_mean(name, self._options())
        return f"there is no option {name}" + (f"; {hint}" if hint else "")


def whole_number(low: int, high: float = math.inf) -> Callable[[str], int]:
    """Return a parser of whole numbers from `low` to `high`."""
    to = "" if high == math.inf else f" to {high:g}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or not low <= number <= high:
            raise _refused(text, f"a whole number from {low}{to}")
        return number

    return parse


def number(low: float, more: str = "") -> Callable[[str], float]:
    """Return a parser of finite numbers from `low`; errors end with `more`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value < math.inf:
            raise _refused(text, f"a number from {low:g}{more}")
        return value

    return parse


def some_path(text: str) -> Path:
    """Return a path; an empty text, as from a shell's unset variable, is refused."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not a path")
    return Path(text)


def _refused(text: str, allowed: str) -> argparse.ArgumentTypeError:
    hint = value_hint("", text)
    return argparse.ArgumentTypeError(f"{text!r} is not {allowed}" + (f"; {hint}" if hint else ""))


def print_error(problem: str) -> None:
    """Print a mistake in one line."""
    print(f"evocrawl: error: {one_line(problem, 2000)}", file=sys.stderr)
