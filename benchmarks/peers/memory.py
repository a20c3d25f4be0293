"""The most memory that this process has held."""

from __future__ import annotations

from pathlib import Path


def peak_rss_bytes() -> int:
    """Return the peak resident size in bytes (Linux).

    Not by getrusage: its ru_maxrss is handed down from the parent through fork and exec.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
