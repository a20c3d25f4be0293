"""Serves one documentation host: a folder of files below a path prefix."""

from __future__ import annotations

import gzip
import mimetypes
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from evocrawl.simulation.server.proxy import Request, Response, not_found, redirect

Rewrite = Callable[[bytes], bytes]
PlainSite = Callable[[Request], Response]
Moved = tuple[re.Pattern[str], str]
"""A path pattern and its new address, a template for `re.Match.expand`."""

_TYPES = (
    mimetypes.MimeTypes()
)  # without the system's table, so that types are the same on each system


@dataclass(frozen=True, slots=True)
class FolderSite:
    """Serves the files of `folder` below `prefix` (``/3/``); other paths are 404.

    The page of a folder is its ``index.html``; an address without the final slash redirects to it.
    A file that only exists as ``.gz`` is sent unpacked. Symbolic links must not leave `inside`.
    `moved` applies to paths outside `prefix`, `robots` is the text of robots.txt (404 if empty).
    """

    prefix: str
    folder: Path
    inside: Path
    robots: str = ""
    moved: Sequence[Moved] = ()
    rewrite: Rewrite = bytes

    def __call__(self, request: Request) -> Response:
        """Respond to `request` as a web server does: 200, 301, 404, or 405."""
        if request.method not in ("GET", "HEAD"):
            return Response(405, b"<title>405</title>")
        path = urlsplit(request.path).path if "?" in request.path else request.path
        if path == "/robots.txt" and self.robots:
            return Response(200, self.robots.encode(), {"content-type": "text/plain"})
        if not path.startswith(self.prefix):
            return self._moved(request, path)
        try:
            return self._file(request, unquote(path[len(self.prefix) :]))
        except OSError:  # the name is too long for the file system
            return not_found(request)

    def pages(self) -> Iterator[tuple[str, Path]]:
        """Yield URL path and file of every HTML page, sorted by path."""
        for file in sorted(self.folder.rglob("*.html*")):
            if file.name.endswith((".html", ".html.gz")) and self._is_ours(file):
                relative = file.relative_to(self.folder).as_posix().removesuffix(".gz")
                yield self.prefix + quote(relative), file

    def _moved(self, request: Request, path: str) -> Response:
        for pattern, template in self.moved:
            if match := pattern.fullmatch(path):
                return redirect(match.expand(template))
        return not_found(request)

    def _file(self, request: Request, relative: str) -> Response:
        file = self.folder / relative if "\0" not in relative else self.inside.parent
        if not self._is_inside(file) or (relative.endswith("/") and not file.is_dir()):
            return not_found(request)
        if file.is_dir():
            if relative and not relative.endswith("/"):
                return redirect(self.prefix + quote(relative) + "/")
            file /= "index.html"
        body = self._read(file)
        if body is None:
            return not_found(request)
        kind = _TYPES.guess_type(file.name)[0] or "application/octet-stream"
        if kind == "text/html":
            body = self.rewrite(body)
        return Response(200, body, {"content-type": kind})

    def _read(self, file: Path) -> bytes | None:
        packed = file.with_name(file.name + ".gz")
        if self._is_ours(file):
            return file.read_bytes()
        if self._is_ours(packed):
            return gzip.decompress(packed.read_bytes())
        return None

    def _is_ours(self, file: Path) -> bool:
        return self._is_inside(file) and file.is_file()

    def _is_inside(self, file: Path) -> bool:
        return file.resolve().is_relative_to(self.inside.resolve())


def moved(*rules: tuple[str, str]) -> tuple[Moved, ...]:
    """Return `rules` of regular expression and template, compiled."""
    return tuple((re.compile(pattern), template) for pattern, template in rules)


def alias(*rules: tuple[str, str]) -> PlainSite:
    """Return a site without pages that redirects by `rules`."""
    compiled = moved(*rules)

    def site(request: Request) -> Response:
        for pattern, template in compiled:
            if match := pattern.fullmatch(request.path):
                return redirect(match.expand(template))
        return not_found(request)

    return site


def plain_http(hosts: Sequence[str]) -> Rewrite:
    """Return a function that changes ``https://host`` to ``http://host`` for `hosts` only.

    A proxy without a certificate cannot serve https, so links between the served hosts are changed
    in each response; links to other hosts are unchanged.
    """
    names = b"|".join(re.escape(host.encode()) for host in hosts)
    pattern = re.compile(rb"https://(?=(?:" + names + rb")(?![\w.:-]))")
    return lambda body: pattern.sub(b"http://", body)
