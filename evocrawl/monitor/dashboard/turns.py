"""Makes the answers for viewers in short slices, so that the crawl goes on between two slices."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time
from typing import Any

from evocrawl.monitor.steps import Steps

logger = logging.getLogger(__name__)

SLICE_S = 0.01
"""Processor time of a slice."""
REST_S = 0.02
"""Time between two slices: viewers take at most a third of the time of a crawl."""


@dataclass(slots=True)
class Task:
    """An answer that is being made, until its viewer has gone."""

    steps: Steps[None]
    is_wanted: bool = True


class Turns:
    """All answers that are being made. New ones are first; those that need longer take turns."""

    def __init__(self, reactor: Any, now_s: Callable[[], float] = thread_time) -> None:
        self._reactor = reactor
        self._now_s = now_s
        self._new: deque[Task] = deque()
        self._begun: deque[Task] = deque()
        self._is_due = False

    def add(self, task: Task) -> None:
        """Make an answer soon."""
        self._new.append(task)
        self._after(0)

    def _after(self, seconds: float) -> None:
        if not self._is_due:
            self._is_due = True
            self._reactor.callLater(seconds, self._slice)

    def _slice(self) -> None:
        """Make answers for `SLICE_S` seconds."""
        until_s = self._now_s() + SLICE_S
        while self._new or self._begun:
            task = (self._new or self._begun).popleft()
            if task.is_wanted and not self._is_done(task, until_s):
                self._begun.append(task)
            if self._now_s() >= until_s:
                break
        self._is_due = False
        if self._new or self._begun:
            self._after(REST_S)

    def _is_done(self, task: Task, until_s: float) -> bool:
        """Make steps of an answer; return True at its end."""
        try:
            while True:
                next(task.steps)
                if self._now_s() >= until_s:
                    return False
        except StopIteration:
            return True
        except Exception:
            logger.exception("dashboard: an answer failed")
            return True
