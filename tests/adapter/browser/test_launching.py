"""What a browser needs is checked before the crawl begins, and it is started without a network."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from evocrawl.adapter.browser import launching
from evocrawl.core.errors import SettingError


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(launching, "is_asyncio_available", lambda: True)


@pytest.mark.parametrize("package", ["scrapy_playwright", "psutil"])
def test_a_missing_package_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """The error is one line."""

    def find(name: str) -> ModuleSpec | None:
        return None if name == package else importlib.util.find_spec(name)

    monkeypatch.setattr(launching, "find_spec", find)
    with pytest.raises(SettingError, match=r"pip install 'evocrawl\[playwright\]'") as error:
        launching.check_browser({}, "auto")
    assert package in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("nothing_installed")
def test_a_missing_browser_is_named_with_what_installs_it() -> None:
    """There is no error for another browser, or for one on another machine."""
    with pytest.raises(SettingError, match="apt install chromium"):
        launching.check_browser({}, "always")
    launching.check_browser({"PLAYWRIGHT_CDP_URL": "http://127.0.0.1:9222"}, "always")
    launching.check_browser({"PLAYWRIGHT_BROWSER_TYPE": "firefox"}, "always")


@pytest.mark.usefixtures("nothing_installed")
def test_the_browser_of_playwright_is_preferred_then_that_of_the_system(tmp_path: Path) -> None:
    """A path in the settings prevails over both."""
    assert launching.executable({}) is None
    system = tmp_path / "chromium-browser"
    system.write_text("#!/bin/sh\n")
    system.chmod(0o755)
    assert launching.executable({}) == str(system)
    launching.check_browser({}, "auto")
    for own in ({"executable_path": "/bin/true"}, '{"executable_path": "/bin/true"}'):
        assert launching.executable({"PLAYWRIGHT_LAUNCH_OPTIONS": own}) == "/bin/true"
    for wrong in ("/bin/true", "[1]", 5):
        with pytest.raises(SettingError, match="PLAYWRIGHT_LAUNCH_OPTIONS"):
            launching.check_browser({"PLAYWRIGHT_LAUNCH_OPTIONS": wrong}, "auto")
    system.unlink()
    (tmp_path / "chromium-1234").mkdir()
    assert launching.executable({}) is None
    launching.check_browser({}, "auto")


def test_the_browser_is_started_so_that_it_connects_to_nothing() -> None:
    """The project's own arguments are kept."""
    options = launching.launch_options({"args": ["--mute-audio"], "timeout": 5}, {})
    assert options["timeout"] == 5
    assert "--mute-audio" in options["args"]
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in options["args"]
    assert launching.launch_options({"args": []}, {"PLAYWRIGHT_BROWSER_TYPE": "firefox"}) == {
        "args": []
    }
