"""The files that docs/guide/deploy.md shows can be used without a change."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from evocrawl.adapter import settings as project
from evocrawl.core.config.config import Config

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "deploy.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def documents() -> list[dict[str, Any]]:
    return [each for block in blocks("yaml") for each in yaml.safe_load_all(block)]


def pod_of(job: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = job["spec"]["template"]["spec"]
    return pod


def test_scrapyd_knows_each_option() -> None:
    """The file is read as Scrapyd reads it; Scrapyd knows each name in it."""
    used, known = configparser.ConfigParser(), configparser.ConfigParser()
    used.read_string(blocks("ini")[0])
    known.read_string(files("scrapyd").joinpath("default_scrapyd.conf").read_text())
    assert set(used["scrapyd"]) <= set(known["scrapyd"])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    """A program is put at the path that the unit names."""
    scrapy = Path(sys.executable).with_name("scrapy")
    unit = tmp_path / "coral.service"
    unit.write_text(blocks("ini")[1].replace("/opt/evocrawl/bin/scrapy", str(scrapy)))
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if "coral.service" in line]
    assert (done.returncode, said) == (0, [])


def test_the_time_to_stop_a_crawl_is_longer_than_a_request() -> None:
    """Scrapyd, systemd and Kubernetes give it."""
    unit = re.search(r"TimeoutStopSec=(\d+)", PAGE)
    assert unit is not None
    pods = [pod_of(each) for each in documents() if each["kind"] == "Job"]
    for grace_s in (int(unit[1]), *(pod["terminationGracePeriodSeconds"] for pod in pods)):
        assert grace_s > project.DOWNLOAD_TIMEOUT


def test_each_mount_of_the_job_has_a_volume() -> None:
    """The claim is the one above it in the file."""
    claim, job, _ = documents()
    pod = pod_of(job)
    [container] = pod["containers"]
    assert {each["name"] for each in container["volumeMounts"]} == {
        each["name"] for each in pod["volumes"]
    }
    assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


def test_jobs_give_arguments_that_a_crawl_takes() -> None:
    """Each is an option of evocrawl with a value that it allows."""
    for job in documents()[1:]:
        [container] = pod_of(job)["containers"]
        flags, pairs = container["args"][::2], container["args"][1::2]
        assert set(flags) == {"-a"}
        arguments = dict(each.split("=", 1) for each in pairs)
        settings = {each["name"]: "redis://redis.test/0" for each in container.get("env", ())}
        assert Config.read(settings, arguments).query == "coral bleaching"


def in_the_pod(tmp_path: Path, scrapy: str) -> subprocess.Popen[bytes]:
    """Start the script of the image with another program in place of Scrapy."""
    script, program = tmp_path / "crawl.sh", tmp_path / "scrapy"
    script.write_text(next(each for each in blocks("sh") if each.startswith("#!/bin/sh")))
    program.write_text(f"#!/bin/sh\n{scrapy}\n")
    for each in (script, program):
        each.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen([script, "-a", "a b=c"], env={**os.environ, "PATH": path})


@pytest.mark.parametrize("code", [0, 1])
def test_the_pod_ends_as_the_crawl_does(tmp_path: Path, code: int) -> None:
    """With its exit code, and after the arguments of the Job."""
    scrapy = f"printf '%s\\n' \"$@\" > {tmp_path / 'arguments'}; exit {code}"
    assert in_the_pod(tmp_path, scrapy).wait(timeout=120) == code
    assert (tmp_path / "arguments").read_text() == "crawl\nevospider\n-a\na b=c\n"


def test_a_pod_that_is_stopped_has_not_succeeded(tmp_path: Path) -> None:
    """SIGTERM reaches the crawl, which ends cleanly; the Job continues in another pod."""
    ready, done = tmp_path / "ready", tmp_path / "done"
    stop = f"trap 'touch {done}; exit 0' TERM; touch {ready}; while :; do sleep 0.05; done"
    pod = in_the_pod(tmp_path, stop)
    until = time.monotonic() + 120
    while not ready.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    pod.send_signal(signal.SIGTERM)
    assert pod.wait(timeout=120) == 75
    assert done.exists()
