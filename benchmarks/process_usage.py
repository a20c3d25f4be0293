"""Measures processor time and memory of a crawl, its browser and the driver of the browser."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import psutil

EVERY_S = 0.25
GROUPS = ("crawl", "driver", "Chromium")


class Sampler(threading.Thread):
    """Looks at the processes of a crawl: seconds of processor time, and bytes of memory."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._ended = threading.Event()
        self.cpu_s = dict.fromkeys(GROUPS, 0.0)
        self.peak_bytes = dict.fromkeys(GROUPS, 0)
        self._summed = dict.fromkeys(GROUPS, 0)
        self._samples = 0

    def run(self) -> None:
        while not self._ended.wait(EVERY_S):
            with suppress(psutil.Error):
                self._look()

    def end(self) -> None:
        self._ended.set()
        self.join()

    def mean_mb(self) -> dict[str, float]:
        """Return the mean memory since the last call, in MB."""
        means = {name: self._summed[name] / max(self._samples, 1) / 1e6 for name in GROUPS}
        self._summed, self._samples = dict.fromkeys(GROUPS, 0), 0
        return means

    def _look(self) -> None:
        cpu_s, memory = dict.fromkeys(GROUPS, 0.0), dict.fromkeys(GROUPS, 0)
        for process in (self._root, *self._root.children(recursive=True)):
            with suppress(psutil.Error, OSError):
                group = self._group(process)
                times = process.cpu_times()
                used_s = times.user + times.system
                if group == "Chromium":  # those of its processes that have ended, too
                    used_s += times.children_user + times.children_system
                bytes_ = _pss_bytes(process.pid)
                cpu_s[group] += used_s
                memory[group] += bytes_
        for name in GROUPS:
            self.cpu_s[name] = max(self.cpu_s[name], cpu_s[name])
            self.peak_bytes[name] = max(self.peak_bytes[name], memory[name])
            self._summed[name] += memory[name]
        self._samples += 1

    def _group(self, process: psutil.Process) -> str:
        line = process.cmdline()
        if process == self._root or not line:
            return "crawl"
        if "run-driver" in line:
            return "driver"
        return "Chromium" if "chrom" in line[0] else "crawl"


def _pss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return 1024 * int(line.split()[1])
    return 0
