"""Takes the pictures of the dashboard's views in docs/guide/, or in another folder.

    python docs/make_pictures.py STORE [--only why hosts] [--all FOLDER] [--running ADDRESS]

STORE is a finished crawl. Control is taken of a running one, whose log has the ADDRESS of its
dashboard, with the token. `--all` takes every view in both widths, light and dark, to be looked at.
Needs Chromium and the extra `dev`. Look at each picture before it is committed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).parent / "guide"
CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-proxy-server",
              "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.*"]  # fmt: skip
_CODE = "import sys; from evocrawl.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Picture:
    """A view, with the size of its window and what has to be there before the picture is taken.

    `best` puts the address of a good page into the view's query, `runs` asks for a running crawl.
    Agents shows an agent that is alive, and its line.
    """

    view: str
    ready: str
    width: int = 1000
    height: int = 900
    scheme: str = "light"
    best: bool = False
    runs: bool = False


PICTURES = {
    "overview": Picture("overview", "canvas"),
    "agents": Picture("agents", "summary"),
    "results": Picture("results", "td, li", 390, 1000, "dark"),
    "hosts": Picture("hosts", "td"),
    "why": Picture("why", "h2 >> text='The reason'", best=True),
    "why-phone": Picture("why", "h2 >> text='The reason'", 390, 1400, "dark", best=True),
    "control": Picture("control", "form", 1000, 760, runs=True),
}
_VIEWS = ("overview", "agents", "results", "hosts", "why", "control")


def every(runs: bool) -> dict[str, Picture]:
    """Return pictures of every view in both widths, light and dark."""
    return {
        f"{view}-{width}-{scheme}": replace(
            PICTURES[view], width=width, height=height, scheme=scheme, runs=runs
        )
        for view in _VIEWS
        for width, height in ((1280, 900), (390, 1200))
        for scheme in ("light", "dark")
    }


def good_page(url: str) -> str:
    """Return the address of the best page that was found by a link."""
    with urllib.request.urlopen(f"{url}api/v1/results?limit=200", timeout=60) as answer:
        pages: list[dict[str, Any]] = json.load(answer)["results"]
    return str(next(each["url"] for each in pages if each["depth"] >= 2 and each["anchor"]))


def living_agent(url: str) -> str:
    """Return the number of an agent that is alive, of the line that found most."""
    with urllib.request.urlopen(f"{url}api/v1/agents?alive=true&limit=1", timeout=60) as answer:
        return str(json.load(answer)["agents"][0]["id"])


def take(browser: Browser, address: str, file: Path, of: Picture) -> None:
    """Take one picture."""
    url, _, token = address.partition("#")
    tab = browser.new_page(
        viewport={"width": of.width, "height": of.height},
        color_scheme=of.scheme,  # type: ignore[arg-type]
        device_scale_factor=1 if of.width > 500 else 2,
    )
    query = f"?{urllib.parse.urlencode({'url': good_page(url)})}" if of.best else ""
    tab.goto(f"{url}#{token}")
    if not of.runs:
        tab.wait_for_selector("#state >> text='finished'", timeout=240_000)
    if of.view == "agents":
        query = f"?id={living_agent(url)}"
    tab.goto(f"{url}#/{of.view}{query}")
    tab.wait_for_selector(of.ready, timeout=240_000)
    if of.view == "agents":
        tab.click("summary")
        tab.click("[aria-expanded=false]")
    tab.wait_for_timeout(1500)
    tab.screenshot(path=str(file), animations="disabled")
    tab.close()


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", help="a finished crawl, as evocrawl dashboard takes it")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", nargs="+", choices=list(PICTURES))
    which.add_argument("--all", type=Path, metavar="FOLDER")
    parser.add_argument("--running", metavar="ADDRESS")
    given = parser.parse_args()
    pictures = every(runs=bool(given.running)) if given.all else PICTURES
    chosen = given.only or [
        name for name, each in pictures.items() if given.running or not each.runs
    ]
    line = [sys.executable, "-c", _CODE, "dashboard", given.store, "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
            for name in chosen:
                address = given.running if pictures[name].runs else url
                file = given.all / f"{name}.png" if given.all else FOLDER / f"dashboard-{name}.png"
                take(browser, address, file, pictures[name])
                print(name, flush=True)
            browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
