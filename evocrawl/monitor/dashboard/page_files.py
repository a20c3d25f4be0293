"""The files of the dashboard's page, as the server sends them."""

from __future__ import annotations

from importlib.resources import files

_SCRIPTS = ("parts", "overview", "results", "agents", "hosts", "why", "control", "app")
"""Files of the one script, in their order: the first view waits for one request, not for eight."""
_OTHERS = {
    "": ("index.html", "text/html"),
    "style.css": ("style.css", "text/css"),
    "uPlot.js": ("uPlot.iife.min.js", "text/javascript"),
    "uPlot.css": ("uPlot.min.css", "text/css"),
    "uPlot.LICENSE.txt": ("uPlot.LICENSE.txt", "text/plain"),
}


def page_files() -> dict[str, tuple[bytes, str]]:
    """Return content and Content-Type of each file by its address."""
    folder = files("evocrawl.monitor.dashboard").joinpath("assets")
    script = b"\n".join(folder.joinpath(f"{name}.js").read_bytes() for name in _SCRIPTS)
    found = {"app.js": (script, "text/javascript; charset=utf-8")}
    for address, (name, kind) in _OTHERS.items():
        found[address] = folder.joinpath(name).read_bytes(), f"{kind}; charset=utf-8"
    return found
