"""The demonstration web: documentation packages of Debian 12 under their real host names.

    python -m demo.debian_web                  fetch missing packages, print folder and page counts
    python -m demo.debian_web --survey         … and count links between hosts and pages on topic
    python -m demo.debian_web --serve 8080     … and serve the web as a proxy until Ctrl-C

Links among the hosts are https in the pages; they are served as http, since the proxy has no
certificates (see `demo.site.plain_http`). Addresses of other versions and of former host names
redirect to what is served, as on the real sites; hosts that are not served answer 404.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from demo.packages import PackageError, cache_folder, fetch
from demo.site import FolderSite, PlainSite, alias, moved, plain_http
from demo.survey import survey
from evocrawl.simulation.server.proxy import LoopbackProxy, Site, not_found


@dataclass(frozen=True, slots=True)
class Source:
    """A package, its folder of pages, and their host and path on the real web."""

    package: str
    folder: str
    host: str
    prefix: str
    robots: str = ""
    moved: tuple[tuple[str, str], ...] = ()


SOURCES = (
    Source(
        "python3.11-doc",
        "usr/share/doc/python3.11/html",
        "docs.python.org",
        "/3/",
        robots="User-agent: *\nDisallow: /3/genindex\n",
        moved=((r"/(?:3\.\d+|dev)/(.*)", r"/3/\1"),),
    ),
    Source(
        "python-django-doc",
        "usr/share/doc/python-django-doc/html",
        "docs.djangoproject.com",
        "/en/3.2/",
        robots="User-agent: *\nDisallow: /en/3.2/_modules/django/contrib/gis/\n",
        moved=((r"/en/(?:dev|stable|\d\.\d+)/(.*)", r"/en/3.2/\1"),),
    ),
    Source(
        "postgresql-doc-15",
        "usr/share/doc/postgresql-doc-15/html",
        "www.postgresql.org",
        "/docs/15/",
        moved=(
            (r"/docs/(?:current|devel|\d+(?:\.\d+)?)/(?:static/)?(.*)", r"/docs/15/\1"),
            (r"/docs/?", "/docs/15/"),
        ),
    ),
    Source(
        "sqlite3-doc",
        "usr/share/doc/sqlite3",
        "www.sqlite.org",
        "/",
        robots="User-agent: *\nDisallow: /src/\nDisallow: /docsrc/\nDisallow: /forum/\n",
    ),
    Source(
        "python-sqlalchemy-doc",
        "usr/share/doc/python-sqlalchemy-doc/html",
        "docs.sqlalchemy.org",
        "/en/14/",
        moved=((r"/en/(?:latest|\d\d|rel_\d_\d)/(.*)", r"/en/14/\1"),),
    ),
    Source(
        "python-celery-doc",
        "usr/share/doc/python-celery-doc/html",
        "docs.celeryq.dev",
        "/en/stable/",
        moved=((r"/en/(?:latest|main|master)/(.*)", r"/en/stable/\1"),),
    ),
    Source(
        "python-flask-doc",
        "usr/share/doc/python-flask-doc/html",
        "flask.palletsprojects.com",
        "/en/2.2.x/",
        moved=((r"/en/(?:latest|stable|\d\.\d\.x)/(.*)", r"/en/2.2.x/\1"),),
    ),
    Source(
        "python-werkzeug-doc",
        "usr/share/doc/python-werkzeug-doc/html",
        "werkzeug.palletsprojects.com",
        "/en/2.2.x/",
        moved=((r"/en/(?:latest|stable|\d\.\d\.x)/(.*)", r"/en/2.2.x/\1"),),
    ),
)

ALIASES: Mapping[str, PlainSite] = {
    "sqlite.org": alias((r"(/.*)", r"http://www.sqlite.org\1")),
    "docs.celeryproject.org": alias((r"(/.*)", r"http://docs.celeryq.dev\1")),
    "django.readthedocs.io": alias((r"/en/[^/]+/(.*)", r"http://docs.djangoproject.com/en/3.2/\1")),
}
"""Former and alternative names of the hosts, which redirect to the served names."""


def open_web(sources: Sequence[Source] = SOURCES) -> dict[str, FolderSite]:
    """Fetch the packages missing in the cache and return the sites by host. Raises PackageError."""
    return build_web(fetch([source.package for source in sources], cache_folder()), sources)


def build_web(folders: Mapping[str, Path], sources: Sequence[Source]) -> dict[str, FolderSite]:
    """Return the sites of unpacked packages; raise PackageError if a package has no pages."""
    rewrite = plain_http([*(source.host for source in sources), *ALIASES])
    web = {}
    for source in sources:
        folder = folders[source.package] / source.folder
        if not (folder / "index.html").is_file():
            raise PackageError(
                f"{folder} has no index.html: delete {folders[source.package]} and run again, or "
                "the package is not that of Debian 12"
            )
        rules = source.moved if source.prefix == "/" else (*source.moved, ("/", source.prefix))
        web[source.host] = FolderSite(
            source.prefix,
            folder,
            folders[source.package],
            source.robots,
            moved(*rules),
            rewrite,
        )
    return web


def proxy_for(web: Mapping[str, Site], port: int = 0) -> LoopbackProxy:
    """Return a proxy for `web` and the aliases; every other host responds with 404."""
    return LoopbackProxy({**ALIASES, **web}, elsewhere=not_found, port=port)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m demo.debian_web", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--serve", type=int, metavar="PORT", help="serve as an HTTP proxy")
    parser.add_argument("--survey", action="store_true", help="count links and pages on topic")
    options = parser.parse_args(arguments)
    try:
        web = open_web()
    except PackageError as error:
        print(error, file=sys.stderr)
        return 1
    counts = {host: sum(1 for _ in site.pages()) for host, site in web.items()}
    for host, pages in counts.items():
        print(f"{pages:6}  http://{host}{web[host].prefix}")
    print(f"{sum(counts.values()):6}  pages on {len(counts)} hosts in {cache_folder()}")
    if options.survey:
        print(survey(web, ALIASES))
    if options.serve is not None:
        with proxy_for(web, options.serve) as proxy:
            print(f"http_proxy={proxy.url}  (Ctrl-C stops)", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                threading.Event().wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
