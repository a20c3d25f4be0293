"""Runs a group of cases with stock Scrapy and with the add-on, once for all processes of pytest."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import processes
from smallspider import site_of
from spidergroups import cases_of

from evocrawl.simulation.server.proxy import LoopbackProxy

HERE = Path(__file__).parent
VARIANTS = ("stock", "addon")
_WAIT_S = 1800


def left_by(group: str, directory: Path) -> dict[str, dict[str, Any]]:
    """Return the results of each case of a group, by variant and name; run it if it has not run.

    Processes that want the same group at once wait for the one that runs it.
    """
    directory.mkdir(exist_ok=True)
    with (directory / f"{group}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        files = {variant: directory / f"{group}-{variant}.json" for variant in VARIANTS}
        if not all(each.exists() for each in files.values()):
            _run(group, directory, files)
    return {variant: json.loads(file.read_text()) for variant, file in files.items()}


def _run(group: str, directory: Path, files: dict[str, Path]) -> None:
    sites = {f"{case.name}.test": case for case in cases_of(group).values()}
    with ExitStack() as stack:
        running = []
        for variant, file in files.items():
            proxy = LoopbackProxy({host: site_of(case) for host, case in sites.items()})
            stack.enter_context(proxy)
            own = directory / f"{group}-{variant}"
            own.mkdir()
            path = os.pathsep.join((str(HERE), os.environ.get("PYTHONPATH", "")))
            environment = {
                **os.environ,
                "http_proxy": proxy.url,
                "PYTHONPATH": path,
                "DROPIN_DIR": str(own),
            }
            running.append(
                processes.start(
                    "spidergroups",
                    [group, variant, str(file)],
                    cwd=own,
                    environment=environment,
                    output=directory / f"{group}-{variant}.log",
                )
            )
        for each in running:
            each.wait(_WAIT_S)
    for variant, file in files.items():
        log = (directory / f"{group}-{variant}.log").read_text()
        assert file.exists(), log[-4000:]
