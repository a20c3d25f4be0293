"""Sessions for others' machines: `pip install nox`, then `nox -l` lists them and `nox` runs them.

A version of Python that is not on the machine is skipped by name. `nox -s tests -- tests/relevance`
runs a folder of tests in each environment, in place of the fast ones.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"
nox.options.sessions = ["tests", "extras", "release"]

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
SCRAPYS = {"oldest": "Scrapy==2.19.0", "newest": "Scrapy>=2.19,<3"}
FAST = [f"tests/{name}" for name in ("core", "energy", "frontier", "population", "test_addon.py")]
_PROJECT = nox.project.load_toml("pyproject.toml")["project"]
EXTRAS = [name for name in _PROJECT["optional-dependencies"] if name != "dev"]


@nox.session(python=PYTHONS)
@nox.parametrize("scrapy", [*SCRAPYS])
def tests(session: nox.Session, scrapy: str) -> None:
    """Run the fast tests, or those named, with the oldest or the newest Scrapy that is claimed."""
    session.install("-e", ".", SCRAPYS[scrapy], "hypothesis>=6.130", "pytest>=8.3", "PyYAML>=6")
    session.run("python", "-m", "pytest", "-q", *(session.posargs or FAST))


@nox.session(python=PYTHONS[0])
def extras(session: nox.Session) -> None:
    """Resolve each extra alone, and all together, for each Python; nothing is installed."""
    session.install("uv")
    for python in PYTHONS:
        for names in [*([name] for name in EXTRAS), EXTRAS]:
            wanted = [f"--extra={name}" for name in names]
            session.run(
                "uv", "pip", "compile", "pyproject.toml", "-q", f"--python-version={python}",
                *wanted, "-o", os.devnull,
            )  # fmt: skip


@nox.session(python=PYTHONS[0])
def release(session: nox.Session) -> None:
    """Build twice and compare; check the archives; write an SBOM; look for known faults."""
    session.install("build", "check-wheel-contents", "twine")
    made = []
    for folder in (session.create_tmp(), f"{session.create_tmp()}/again"):
        session.run("python", "-m", "build", "--outdir", folder, silent=True)
        files = sorted(Path(folder).glob("evocrawl-*"))
        made.append({file.name: sha256(file.read_bytes()).hexdigest() for file in files})
    if made[0] != made[1]:
        session.error(f"two builds differ: {made}")
    session.run("twine", "check", "--strict", *map(str, files))
    session.run("check-wheel-contents", *(str(file) for file in files if file.suffix == ".whl"))
    session.install("cyclonedx-bom", "pip-audit", ".")
    session.run(
        "cyclonedx-py", "environment", "--pyproject", "pyproject.toml", "-o", "build/sbom.json"
    )
    audit = str(session.run("pip-audit", "--skip-editable", silent=True))
    session.log(audit)
    if unknown := audit.count("could not be audited"):
        session.warn(f"pip-audit has no data about {unknown} packages, evocrawl among them")
