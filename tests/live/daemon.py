"""A real Scrapyd on loopback, in its own folder, and its API."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener
from zipfile import ZipFile

import scrapy
from livecrawl import ROOT

CONFIGURATION = """
[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
jobs_dir = jobs
max_proc = 2
poll_interval = 0.3
"""
WAIT_S = 400
PARTS = (
    "scrapy.cfg", "pyproject.toml", "README.md", "LICENSE",
    "evocrawl", "spiders", "middlewares", "pipelines",
)  # fmt: skip
"""What our repository is deployed from: copied, since deploying leaves files behind."""

_DIRECT = build_opener(ProxyHandler({}))


class Daemon:
    """A running Scrapyd whose crawls go through a proxy; a context manager."""

    def __init__(
        self,
        directory: Path,
        port: int,
        proxy_url: str,
        environment: Mapping[str, str],
        python: str = sys.executable,
    ) -> None:
        self.directory = directory
        self.url = f"http://127.0.0.1:{port}"
        directory.mkdir()
        (directory / "scrapyd.conf").write_text(CONFIGURATION.format(port=port))
        (directory / "home").mkdir()
        # PYTHONPATH would take precedence over the eggs.
        others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        own = {"http_proxy": proxy_url, "HOME": str(directory / "home"), **environment}
        with (directory / "log").open("w") as log:
            self.process = subprocess.Popen(
                [python, "-m", "scrapyd"],
                cwd=directory,
                env={**others, **own},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def __enter__(self) -> Daemon:
        wait_for(self._is_up)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=WAIT_S)

    @property
    def log(self) -> str:
        return (self.directory / "log").read_text()

    def log_of(self, project: str, spider: str, job: str) -> str:
        """Return what a job has logged so far, "" before it began."""
        log = self.directory / "logs" / project / spider / f"{job}.log"
        return log.read_text() if log.exists() else ""

    def state_of(self, project: str, spider: str, job: str) -> Path:
        return self.directory / "jobs" / project / spider / job / "evocrawl.sqlite"

    def ask(self, service: str, **fields: object) -> dict[str, Any]:
        """Send GET, or POST if there are fields."""
        data = urlencode(fields, doseq=True).encode() if fields else None
        with _DIRECT.open(f"{self.url}/{service}", data, timeout=WAIT_S) as answer:
            return json.load(answer)

    def schedule(self, project: str, spider: str, job: str, **arguments: object) -> None:
        answer = self.ask("schedule.json", project=project, spider=spider, jobid=job, **arguments)
        assert answer == {**answer, "status": "ok", "jobid": job}

    def jobs(self, project: str, state: str) -> list[str]:
        """Return the jobs of a project that are "pending", "running" or "finished", by id."""
        listed = self.ask(f"listjobs.json?project={project}")[state]
        return [each["id"] for each in listed]

    def times_of(self, project: str, job: str) -> tuple[str, str]:
        """Return when a finished job began and ended, as text that can be compared."""
        finished = self.ask(f"listjobs.json?project={project}")["finished"]
        [found] = [each for each in finished if each["id"] == job]
        return found["start_time"], found["end_time"]

    def wait_for_end(self, project: str, job: str, times: int = 1) -> None:
        wait_for(lambda: self.jobs(project, "finished").count(job) == times)

    def deploy(self, project: Path, *options: object) -> str:
        """Run scrapyd-deploy in a copy of a project; return its output."""
        with (project / "scrapy.cfg").open("a") as configuration:
            configuration.write(f"\n[deploy:test]\nurl = {self.url}/\nproject = {project.name}\n")
        return _run_deploy(project, *options, "test")

    def deploy_with_bytecode(self, project: Path) -> str:
        """Deploy a project with the bytecode where an import from an archive looks for it.

        Without it each process compiles all modules, which takes longer than its crawl.
        """
        egg = project / "own.egg"
        said = _run_deploy(project, "--build-egg", egg)
        assert egg.exists(), said
        with ZipFile(egg, "a") as archive:
            for name in archive.namelist():
                folder, cached, file = name.rpartition("__pycache__/")
                if cached:
                    archive.writestr(f"{folder}{file.partition('.')[0]}.pyc", archive.read(name))
        return self.deploy(project, "--egg", egg)

    def _is_up(self) -> bool:
        assert self.process.poll() is None, self.log
        try:
            return bool(self.ask("daemonstatus.json")["status"] == "ok")
        except URLError:
            return False


def _run_deploy(project: Path, *options: object) -> str:
    command = [Path(sys.executable).with_name("scrapyd-deploy"), *map(str, options)]
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, check=False, timeout=WAIT_S
    )
    return done.stdout + done.stderr


def wait_for(is_so: Callable[[], bool], every_s: float = 0.3) -> None:
    """Check repeatedly, for some minutes at most."""
    until = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(every_s)


def copy_of_ours(to: Path) -> Path:
    """Copy the files that are deployed to a folder named evocrawl."""
    copy = to / "evocrawl"
    copy.mkdir(parents=True)
    leave = shutil.ignore_patterns("__pycache__")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=leave)
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


def copy_of_example(to: Path) -> Path:
    """Copy the example project to a folder of the same name."""
    leave = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "setup.py")
    return shutil.copytree(ROOT / "examples" / "reefs", to / "reefs", ignore=leave)


def packages_without(name: str, to: Path) -> Path:
    """Make a folder of links to all installed packages, but for those with `name` in theirs."""
    to.mkdir()
    for package in Path(scrapy.__file__).parent.parent.iterdir():
        if name not in package.name.lower() and package.suffix != ".pth":
            (to / package.name).symlink_to(package)
    return to


def children_of(process: int) -> list[str]:
    """Return the command lines of the children of `process` that still run."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == process:
                found.append((status.parent / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # it has ended meanwhile
    return found
