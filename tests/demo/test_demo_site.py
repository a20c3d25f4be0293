"""A folder of documentation answers as its web server would."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.site import FolderSite, alias, moved, plain_http
from evocrawl.simulation.server.proxy import Request, Response


@pytest.fixture
def site(tmp_path: Path) -> FolderSite:
    """Return a package with pages, a compressed page, a picture, and links inside and outside."""
    (tmp_path / "secret.html").write_text("outside")
    package = tmp_path / "package"
    folder = package / "html"
    (folder / "sub").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "index.html").write_bytes(b'<a href="https://other.example/x">')
    (folder / "sub/index.html").write_text("sub")
    (folder / "a b.html").write_text("spaced")
    (folder / "logo.png").write_bytes(b"https://other.example/")
    (folder / "old.html.gz").write_bytes(gzip.compress(b"packed"))
    (package / "shared.html").write_text("shared")
    (folder / "inside.html").symlink_to("../shared.html")
    (folder / "outside.html").symlink_to("../../secret.html")
    (folder / "broken.html").symlink_to("nowhere.html")
    return FolderSite(
        "/doc/1/",
        folder,
        package,
        robots="User-agent: *\nDisallow: /doc/1/sub/\n",
        moved=moved((r"/doc/(?:latest|\d)/(.*)", r"/doc/1/\1"), ("/", "/doc/1/")),
        rewrite=plain_http(["other.example"]),
    )


def get(site: FolderSite, path: str, method: str = "GET") -> Response:
    return site(Request(method, "h.example", path))


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/doc/1/", 200, b'<a href="http://other.example/x">'),
        ("/doc/1/index.html?x=1", 200, b'<a href="http://other.example/x">'),
        ("/doc/1/sub/", 200, b"sub"),
        ("/doc/1/a%20b.html", 200, b"spaced"),
        ("/doc/1/logo.png", 200, b"https://other.example/"),
        ("/doc/1/old.html", 200, b"packed"),
        ("/doc/1/inside.html", 200, b"shared"),
    ],
)
def test_existing_files_are_served(site: FolderSite, path: str, status: int, body: bytes) -> None:
    """Pages get links with http, other files are not changed, compressed ones are decompressed."""
    answer = get(site, path)
    assert (answer.status, answer.body) == (status, body)


@pytest.mark.parametrize(
    "path",
    [
        "/doc/1/none.html",
        "/doc/1/empty/",
        "/doc/1/index.html/",
        "/doc/1/outside.html",
        "/doc/1/broken.html",
        "/doc/1/../../secret.html",
        "/doc/1/%2e%2e/%2e%2e/secret.html",
        "/doc/1/%00",
        "/doc/1//etc/passwd",
        "/doc/1/" + "x" * 300,
        "/elsewhere",
    ],
)
def test_missing_files_and_paths_outside_are_404(site: FolderSite, path: str) -> None:
    """No spelling of a path leaves the package."""
    assert get(site, path).status == 404


@given(path=st.text(max_size=40))
def test_no_path_raises_or_leaves_the_folder(path: str) -> None:
    """Any path after the prefix without a file gets 301 or 404."""
    here = Path(__file__).parent
    site = FolderSite("/", here / "no-such-folder", here / "no-such-folder")
    assert site(Request("GET", "h.example", f"/{path}")).status in (301, 404)


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/doc/1/sub", "/doc/1/sub/"),
        ("/", "/doc/1/"),
        ("/doc/latest/sub/x.html", "/doc/1/sub/x.html"),
    ],
)
def test_folders_and_other_versions_redirect(site: FolderSite, path: str, location: str) -> None:
    """A folder gets its slash.

    An address of another version leads to the version that is served.
    """
    answer = get(site, path)
    assert (answer.status, answer.headers["location"]) == (301, location)


def test_types_robots_and_methods(site: FolderSite) -> None:
    """Types follow the name, robots.txt is plain text, only GET and HEAD are known."""
    assert get(site, "/doc/1/").headers["content-type"] == "text/html"
    assert get(site, "/doc/1/old.html").headers["content-type"] == "text/html"
    assert get(site, "/doc/1/logo.png").headers["content-type"] == "image/png"
    robots = get(site, "/robots.txt")
    assert robots.headers["content-type"] == "text/plain"
    assert b"Disallow: /doc/1/sub/" in bytes(robots.body)  # type: ignore[arg-type]
    assert get(site, "/doc/1/", "HEAD").status == 200
    assert get(site, "/doc/1/", "POST").status == 405


def test_pages_lists_every_page_that_is_served(site: FolderSite) -> None:
    """Each listed address answers 200; links that lead outside are not listed."""
    paths = [path for path, _ in site.pages()]
    assert paths == [
        f"/doc/1/{name}"
        for name in ("a%20b.html", "index.html", "inside.html", "old.html", "sub/index.html")
    ]
    assert all(get(site, path).status == 200 for path in paths)


def test_a_former_host_only_redirects() -> None:
    """An alias redirects known addresses and answers 404 to others."""
    site = alias((r"/docs/(.*)", r"http://new.example/\1"))
    assert site(Request("GET", "old.example", "/docs/x")).headers == {
        "location": "http://new.example/x"
    }
    assert site(Request("GET", "old.example", "/y")).status == 404


@pytest.mark.parametrize(
    ("link", "served"),
    [
        (b'"https://a.example/x"', b'"http://a.example/x"'),
        (b'"https://a.example"', b'"http://a.example"'),
        (b'"https://a.example.org/"', b'"https://a.example.org/"'),
        (b'"https://a.example:444/"', b'"https://a.example:444/"'),
        (b'"https://xa.example/"', b'"https://xa.example/"'),
        (b'"https://axexample/"', b'"https://axexample/"'),
    ],
)
def test_only_links_to_served_hosts_become_http(link: bytes, served: bytes) -> None:
    """Longer host names, other ports and look-alikes stay https."""
    assert plain_http(["a.example"])(link) == served
