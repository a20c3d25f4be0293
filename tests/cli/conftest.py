from __future__ import annotations

from pathlib import Path

import pytest
from exported_crawl import stored_crawl


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The file of a stored crawl."""
    return stored_crawl(tmp_path)
