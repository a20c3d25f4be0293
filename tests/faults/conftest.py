"""Puts the folder of the live tests on the path: the fault lab serves and crawls as they do."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "live"))
