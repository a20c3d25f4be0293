"""Scrapy's own tests pass with the add-on in each crawler.

Those that fail on purpose, and those that are not run, are in tables of docs/guide/drop-in.md with
the reason.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import processes
import pytest
from sdist import unpacked

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "guide" / "drop-in.md"
GROUPS = {
    "crawl": ("crawl", "request_left", "request_attribute_binding", "request_cb_kwargs"),
    "engine": (
        "engine", "engine_loop", "engine_close_spider", "engine_download",
        "engine_stop_download_bytes", "engine_stop_download_headers", "core_scraper",
    ),
    "scheduler": (
        "scheduler", "scheduler_base", "dupefilters", "spider_start", "pipelines",
        "downloaderslotssettings", "closespider", "signals",
    ),
    "middlewares": (
        "spidermiddleware", "spidermiddleware_depth", "spidermiddleware_httperror",
        "spidermiddleware_output_chain", "spidermiddleware_process_start",
        "spidermiddleware_start", "downloadermiddleware", "downloadermiddleware_offsite",
        "downloadermiddleware_redirect", "downloadermiddleware_retry", "pipeline_crawl",
    ),
}  # fmt: skip
"""Files of tests that run crawls or components of crawls: `crawl` is Scrapy's test_crawl.py."""


FILES = {f"test_{each}.py" for group in GROUPS.values() for each in group}


def _listed(heading: str) -> dict[str, str]:
    """Return the tests of the table under a heading of the page, each with its reason."""
    section = PAGE.read_text().partition(f"### {heading}\n")[2].partition("\n### ")[0]
    return dict(re.findall(r"^\| `(test_[^`]+)` \| (.+) \|$", section, re.MULTILINE))


FAIL = _listed("Tests that fail on purpose")
NOT_RUN = _listed("Tests that are not run")


def _outcomes(report: Path) -> tuple[set[str], set[str]]:
    """Return the tests that ran and those that failed, as ``test_file.py::TestClass::name``."""
    ran, failed = set(), set()
    for case in ElementTree.parse(report).iter("testcase"):
        _, module, *classes = case.attrib["classname"].split(".")
        name = "::".join((f"{module}.py", *classes, case.attrib["name"]))
        if case.find("skipped") is None:
            ran.add(name)
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
    return ran, failed


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of Scrapy's source; all processes of pytest share it, and its bytecode."""
    shared = tmp_path_factory.getbasetemp()
    return unpacked(shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared, FILES)


@pytest.mark.takes_s(60)
@pytest.mark.parametrize("group", GROUPS)
def test_scrapys_own_tests_pass(source: Path, group: str, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    files = [f"test_{each}.py" for each in GROUPS[group]]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    done = processes.run(
        "pytest",
        [
            "-p", "forced_addon", "-p", "no:cacheprovider", "-p", "twisted", "--assert=plain",
            "--quiet", "--tb=short", f"--junitxml={report}",
            *(f"--deselect=tests/{name}" for name in NOT_RUN),
            # pytest collects one folder once; single files would be collected one by one.
            "-o", f"python_files={' '.join(files)}", "-o", "norecursedirs=*", "tests",
        ],
        cwd=source,
        environment={
            **environment, "PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_XDIST_WORKER": "gw0",  # the keys are there
        },
    )  # fmt: skip
    said = done.stdout[-12000:] + done.stderr[-2000:]
    assert done.returncode in (0, 1), said
    ran, failed = _outcomes(report)
    assert len(ran) > 50, said
    assert not ran & NOT_RUN.keys()
    assert failed == {name for name in FAIL if name.partition("::")[0] in files}, said


def test_each_listed_test_exists_and_has_a_reason(source: Path) -> None:
    for name, why in {**FAIL, **NOT_RUN}.items():
        file, *_, function = name.split("::")
        assert file in FILES
        assert f"def {function}(" in (source / "tests" / file).read_text(), name
        assert len(why.split()) > 5, name
