"""Traces which modules of evocrawl a call goes through until it reaches a function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import evocrawl

_ROOT = Path(evocrawl.__file__).parent
_FOLDERS = [_ROOT, *(_ROOT.parent / each for each in ("middlewares", "pipelines", "spiders"))]


@dataclass
class Call:
    """One call of a function of evocrawl, and the calls that it has made of other modules."""

    module: str
    calls: list[Call] = field(default_factory=list)

    def modules(self) -> set[str]:
        """Return this module and all modules below it."""
        return {self.module}.union(*(each.modules() for each in self.calls))

    def detours(self, at_work: list[Call]) -> list[set[str]]:
        """Return the modules of each call into another module, but of those still at work."""
        found = []
        for call in self.calls:
            if any(call is other for other in at_work):
                continue
            found += call.detours(at_work) if call.module == self.module else [call.modules()]
        return found


class CallPath:
    """The modules that are at work when `act` first calls `arrival`.

    `modules` are in the order of the calls, and no module stands twice in succession. `detours` are
    modules that were called before and had returned, each with the modules below it.
    """

    def __init__(self, act: Callable[[], object], arrival: Callable[..., Any]) -> None:
        self.modules: list[str] = []
        self.detours: list[set[str]] = []
        self._arrival = _code_of(arrival)
        self._stack: list[Call | None] = []
        sys.setprofile(self._profile)
        try:
            act()
        finally:
            sys.setprofile(None)
        assert self.modules, "the call never arrived"

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if self.modules:
            return
        if event == "call":
            self._called(frame.f_code)
        elif event == "return" and self._stack:
            self._stack.pop()

    def _called(self, code: CodeType) -> None:
        name = _module_of(code)
        above = next((each for each in reversed(self._stack) if each is not None), None)
        call = Call(name) if name else None
        if call is not None and above is not None:
            above.calls.append(call)
        self._stack.append(call)
        if code is self._arrival:
            self._arrive([each for each in self._stack if each is not None])

    def _arrive(self, at_work: list[Call]) -> None:
        for call in at_work:
            if call.module != (self.modules or [""])[-1]:
                self.modules.append(call.module)
            self.detours += call.detours(at_work)


def _code_of(function: Callable[..., Any]) -> CodeType:
    assert isinstance(function, FunctionType)
    return function.__code__


def _module_of(code: CodeType) -> str:
    """Return the module of a function of evocrawl, such as "adapter/scheduler", "" for others.

    `core` counts as no module: it has data and containers, and calls nothing else.
    """
    path = Path(code.co_filename)
    for root in _FOLDERS:
        if path.is_relative_to(root):
            name = path.relative_to(_ROOT if root == _ROOT else root.parent).with_suffix("")
            return "" if name.parts[0] == "core" else name.as_posix()
    return ""
