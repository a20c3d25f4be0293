"""Peak memory of this process."""

from __future__ import annotations

from pathlib import Path


def peak_rss_bytes() -> int:
    """Return the peak resident size in bytes (Linux).

    It does not use getrusage, whose ru_maxrss is inherited from the parent through fork and exec.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
