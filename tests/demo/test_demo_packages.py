"""Packages are downloaded once and completely; an error gives advice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from demo import packages
from demo.packages import PackageError, cache_folder, fetch

Runner = Callable[[Sequence[str], Path], str]


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replace apt-get and dpkg-deb; return the commands that were run."""
    commands: list[list[str]] = []

    def run(command: Sequence[str], work: Path) -> str:
        commands.append(list(command))
        if "download" in command:
            for package in command[command.index("download") + 1 :]:
                (work / f"{package}_1.0_all.deb").touch()
        if command[0] == "dpkg-deb":
            Path(command[-1]).mkdir()
            (Path(command[-1]) / "index.html").touch()
        return ""

    monkeypatch.setattr(packages, "_run", run)
    monkeypatch.setattr(packages.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    return commands


def test_only_missing_packages_are_downloaded(tools: list[list[str]], tmp_path: Path) -> None:
    """A second call runs no command at all, a third only what is new."""
    folders = fetch(["a-doc"], tmp_path)
    assert (folders["a-doc"] / "index.html").is_file()
    tools.clear()
    assert fetch(["a-doc"], tmp_path) == folders
    assert tools == []
    fetch(["a-doc", "b-doc"], tmp_path)
    assert [command[-1] for command in tools if "download" in command] == ["b-doc"]


def test_nothing_but_the_packages_stays_in_the_cache(
    tools: list[list[str]], tmp_path: Path
) -> None:
    """Archives and half-unpacked folders are gone afterwards."""
    fetch(["a-doc", "b-doc"], tmp_path)
    assert tools
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-doc", "b-doc"]


def _without_lists(tools: list[list[str]], updated: bool) -> Runner:
    """Let downloads fail until the lists are updated."""
    run = packages._run

    def lacking(command: Sequence[str], work: Path) -> str:
        known = updated and ["apt-get", "update"] in tools
        if "download" in command and not known:
            return "E: Unable to locate package"
        return run(command, work)

    return lacking


def test_root_updates_the_lists_once_when_they_are_missing(
    tools: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new machine the first download fails without lists, and the second succeeds."""
    monkeypatch.setattr(packages.os, "geteuid", lambda: 0)
    monkeypatch.setattr(packages, "_run", _without_lists(tools, updated=True))
    assert fetch(["a-doc"], tmp_path)["a-doc"].is_dir()
    assert tools.count(["apt-get", "update"]) == 1


@pytest.mark.parametrize(("user", "advice"), [(0, "Unable to locate"), (1000, "sudo apt-get")])
def test_a_failed_download_says_why_and_leaves_nothing(
    tools: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    user: int,
    advice: str,
) -> None:
    """A user who is not root sees the command that helps."""
    monkeypatch.setattr(packages.os, "geteuid", lambda: user)
    monkeypatch.setattr(packages, "_run", _without_lists(tools, updated=False))
    with pytest.raises(PackageError, match=advice):
        fetch(["a-doc"], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_machine_without_apt_is_referred_to_the_live_web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the other way to crawl."""
    monkeypatch.setattr(packages.shutil, "which", lambda _: None)
    with pytest.raises(PackageError, match="make crawl QUERY"):
        fetch(["a-doc"], tmp_path)


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """EVOCRAWL_CACHE names it; if that is empty or unset, it is in the home folder."""
    monkeypatch.setenv("EVOCRAWL_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.setenv("EVOCRAWL_CACHE", "")
    assert cache_folder() == Path.home() / ".cache/evocrawl/debian-docs"
