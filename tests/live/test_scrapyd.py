"""Crawls under a real Scrapyd: deployed, scheduled, cancelled, resumed and kept apart."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon import Daemon, children_of, copy_of_example, copy_of_ours, packages_without, wait_for
from livecrawl import QUERY, ROOT, page, site
from ports import free_port
from redisserver import RedisServer
from statefiles import HOST, asked, recorded, tree

from evocrawl.core.errors import StateError
from evocrawl.simulation.server.proxy import LoopbackProxy, Response
from evocrawl.store.archive import Archive

pytestmark = pytest.mark.takes_s(160)

PAGES = 100
IN_FLIGHT = 8
OURS = ("evocrawl", "evospider")
FAST = (
    "DOWNLOAD_DELAY=0",
    "CONCURRENT_REQUESTS_PER_DOMAIN=8",
    "CONCURRENT_REQUESTS=8",
    "EVOCRAWL_PROGRESS_S=0",
)
ARGUMENTS = {"query": QUERY, "seeds": f"http://{HOST}/0", "max_requests": 0, "setting": FAST}
REEF = {
    "/": page("/topic/0 coral bleaching", text=QUERY),
    "/topic/0": page("/article/bleached coral bleaching", text=QUERY),
    "/article/bleached": page(text="coral bleached", title="bleached"),
    "/likesbleached": Response(200, b'{"likes": 1}', {"content-type": "application/json"}),
}


@pytest.fixture(scope="module")
def web() -> Iterator[LoopbackProxy]:
    """Return the web of the jobs."""
    with LoopbackProxy({HOST: tree(PAGES), "reef.test": site(REEF)}) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scrapyd")


@pytest.fixture(scope="module")
def daemon(web: LoopbackProxy, folder: Path) -> Iterator[Daemon]:
    """Return a Scrapyd with this repository; it runs two jobs at a time."""
    with Daemon(folder / "daemon", free_port(), web.url, {}) as running:
        copy = copy_of_ours(folder)
        # The version distinguishes the egg from the package that is installed beside Scrapyd.
        start = copy / "evocrawl" / "__init__.py"
        start.write_text(start.read_text().replace('__version__ = "', '__version__ = "egg.'))
        said = running.deploy_with_bytecode(copy)
        assert '"spiders": 1, "status": "ok"' in said, said
        yield running
        wait_for(lambda: not children_of(running.process.pid))


def test_jobs_crawl_from_the_egg_and_one_that_fails_does_not_stop_the_others(
    daemon: Daemon, web: LoopbackProxy
) -> None:
    """Arguments, settings, data files and the JOBDIR of the job's id arrive in the egg's code.

    B118: of three jobs, two at a time, the first ends with exit code 2 and a reason.
    """
    assert daemon.ask("listspiders.json?project=evocrawl")["spiders"] == ["evospider"]
    before = len(web.log)
    few = {**ARGUMENTS, "max_requests": 5}
    daemon.schedule(*OURS, "wrong", **{**few, "species": "unicorn"})
    daemon.schedule(*OURS, "second", **{**ARGUMENTS, "max_requests": 12, "species": "evo"})
    daemon.schedule(*OURS, "third", **few)
    for job in ("wrong", "second", "third"):
        daemon.wait_for_end(OURS[0], job)
    wrong, second, third = (daemon.times_of(OURS[0], job) for job in ("wrong", "second", "third"))
    assert third[0] >= min(wrong[1], second[1])
    assert re.search(r"Process died: exitstatus=2 .*job='wrong'", daemon.log)
    assert re.search(r"Process finished: .*job='third'", daemon.log)
    log = daemon.log_of(*OURS, "wrong")
    assert "species is 'unicorn'; allowed: " in log
    assert "Traceback" not in log
    requests = web.log[before:]
    assert len(requests) == 12 + 5
    assert {each.headers["user-agent"].split()[0] for each in requests} == {"evocrawl/egg.0.1.0"}
    for job, pages in (("second", 11), ("third", 4)):  # and robots.txt
        assert len(recorded(daemon.state_of(*OURS, job))) == pages
        assert "Spider closed (budget)" in daemon.log_of(*OURS, job)


def test_no_process_outlives_its_job(daemon: Daemon) -> None:
    """B119: Scrapyd's slot is free, and no child of it is left."""
    wait_for(lambda: not children_of(daemon.process.pid))
    assert daemon.ask("daemonstatus.json")["running"] == 0


def test_a_cancelled_job_is_continued_under_its_id(daemon: Daemon, web: LoopbackProxy) -> None:
    """R1: killed, then stopped cleanly; no page is lost or recorded twice, few are repeated."""
    before = len(web.log)
    for times, signal in ((1, "KILL"), (2, "TERM")):
        asked_before = len(web.log)
        daemon.schedule(*OURS, "again", **ARGUMENTS)
        wait_for(lambda: len(web.log) >= asked_before + 25, every_s=0.02)  # noqa: B023
        answer = daemon.ask("cancel.json", project=OURS[0], job="again", signal=signal)
        assert answer["prevstate"] == "running"
        daemon.wait_for_end(OURS[0], "again", times)
    assert "Spider closed (shutdown)" in daemon.log_of(*OURS, "again")
    assert 0 < len(recorded(daemon.state_of(*OURS, "again"))) < PAGES
    daemon.schedule(*OURS, "again", **ARGUMENTS)
    daemon.wait_for_end(OURS[0], "again", times=3)
    pages = recorded(daemon.state_of(*OURS, "again"))
    assert pages.keys() == {str(number) for number in range(PAGES)}
    assert pages.total() == PAGES
    requests = asked(web.log[before:])
    assert requests.keys() == pages.keys()
    assert requests.total() - PAGES <= IN_FLIGHT


def test_two_jobs_share_a_crawl(daemon: Daemon, web: LoopbackProxy, tmp_path: Path) -> None:
    """Through Redis: each page is fetched by one of them, and both end when all are."""
    before = len(web.log)
    with RedisServer(tmp_path) as redis:
        for job in ("left", "right"):
            daemon.schedule(*OURS, job, **ARGUMENTS, store=redis.url)
        for job in ("left", "right"):
            daemon.wait_for_end(OURS[0], job)
    for job in ("left", "right"):
        assert "Spider closed (finished)" in daemon.log_of(*OURS, job)
    requests = asked(web.log[before:])
    assert requests.keys() == {str(number) for number in range(PAGES)}
    assert requests.total() == PAGES


def test_a_users_project_under_scrapyd(daemon: Daemon, folder: Path) -> None:
    """The example project, with evocrawl installed beside Scrapyd."""
    assert '"spiders": 1, "status": "ok"' in daemon.deploy(copy_of_example(folder / "own"))
    daemon.schedule("reefs", "articles", "r1", setting="DOWNLOAD_DELAY=0")
    daemon.wait_for_end("reefs", "r1")
    log = daemon.log_of("reefs", "articles", "r1")
    assert "'item_scraped_count': 1" in log
    assert daemon.state_of("reefs", "articles", "r1").is_file()


def test_a_missing_dependency_is_named(web: LoopbackProxy, tmp_path: Path) -> None:
    """B120: if Scrapyd lacks a package that the egg needs, its answer names the package."""
    packages = packages_without("evocrawl", tmp_path / "packages")
    bare = os.path.realpath(sys.executable)
    environment = {"PYTHONPATH": str(packages)}
    with Daemon(tmp_path / "d", free_port(), web.url, environment, python=bare) as daemon:
        said = daemon.deploy(copy_of_example(tmp_path))
        assert '"status": "error"' in said
        assert "No module named 'evocrawl'" in said
        # Scrapyd keeps the egg, but starts nothing from it.
        answer = daemon.ask("schedule.json", project="reefs", spider="articles")
        assert answer["status"] == "error"


@pytest.mark.parametrize(
    ("project", "spider"), [("../../x", "evospider"), ("evocrawl", "<img src=x onerror=1>")]
)
def test_names_cannot_leave_their_folders(daemon: Daemon, project: str, spider: str) -> None:
    """B122: a project or a spider that does not exist is not scheduled, under any name."""
    answer = daemon.ask("schedule.json", project=project, spider=spider, jobid="a", **ARGUMENTS)
    assert answer["status"] == "error"
    assert "not found" in answer["message"]


def has_begun(state: Path) -> bool:
    """Return whether the engine runs: an operation is stored."""
    try:
        with Archive(state) as archive:
            return next(archive.ops(), None) is not None
    except StateError:
        return False


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_readme_can_be_followed(daemon: Daemon, folder: Path) -> None:
    """Its command for Scrapyd is run with another port; Scrapyd cancels by SIGINT."""
    text = (ROOT / "README.md").read_text()
    section = text.partition("## Under Scrapyd")[2].partition("\n## ")[0]
    command = re.search(r"curl (?:.*\\\n)*.*\n", section)
    assert command is not None
    line = command[0].replace("http://localhost:6800", daemon.url)
    environment = {**os.environ, "no_proxy": "*"}
    done = subprocess.run(
        ["/bin/sh", "-c", line], env=environment, cwd=folder, capture_output=True, text=True
    )
    assert '"status": "ok"' in done.stdout, done.stderr
    # Before its engine runs, Scrapy ends by a signal without closing the spider.
    wait_for(lambda: has_begun(daemon.state_of(*OURS, "coral")))
    daemon.ask("cancel.json", project=OURS[0], job="coral")
    daemon.wait_for_end(OURS[0], "coral")
    assert "Spider closed (shutdown)" in daemon.log_of(*OURS, "coral")
