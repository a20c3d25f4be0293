"""The web of the packages: hosts, redirects between them, and missing pages."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest

from demo import debian_web
from demo.debian_web import SOURCES, build_web, main, proxy_for
from demo.packages import PackageError
from demo.survey import is_about, read, survey


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Return a folder for each package, with a front page that links to the next host by https."""
    hosts = [source.host + source.prefix for source in SOURCES]
    for source, target in zip(SOURCES, [*hosts[1:], hosts[0]], strict=True):
        folder = tmp_path / source.package / source.folder
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(f'<a href="https://{target}">next</a>')
    return {source.package: tmp_path / source.package for source in SOURCES}


def test_a_client_walks_around_all_hosts_by_plain_http(folders: dict[str, Path]) -> None:
    """Following the rewritten links through the proxy visits every host."""
    with proxy_for(build_web(folders, SOURCES)) as proxy:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy.url}))
        url = f"http://{SOURCES[0].host}/"
        for _ in SOURCES:
            with opener.open(url, timeout=120) as answer:
                (url,) = read(answer.read())[1]
        assert {request.host for request in proxy.log} == {source.host for source in SOURCES}


@pytest.mark.parametrize(
    ("url", "lands"),
    [
        ("http://sqlite.org/", "http://www.sqlite.org/"),
        ("http://docs.python.org/3.9/", "http://docs.python.org/3/"),
        ("http://www.postgresql.org/docs/current/", "http://www.postgresql.org/docs/15/"),
        ("http://www.postgresql.org/docs/9.6/static/", "http://www.postgresql.org/docs/15/"),
        ("http://docs.celeryproject.org/en/master/", "http://docs.celeryq.dev/en/stable/"),
        ("http://django.readthedocs.io/en/stable/", "http://docs.djangoproject.com/en/3.2/"),
    ],
)
def test_former_addresses_lead_to_what_is_served(
    folders: dict[str, Path], url: str, lands: str
) -> None:
    """Addresses of other versions and former hosts lead there by redirects."""
    with proxy_for(build_web(folders, SOURCES)) as proxy:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy.url}))
        with opener.open(url, timeout=120) as answer:
            assert answer.url == lands


def test_a_package_without_pages_is_refused(folders: dict[str, Path]) -> None:
    """The message names the folder to delete."""
    source = SOURCES[0]
    (folders[source.package] / source.folder / "index.html").unlink()
    with pytest.raises(PackageError, match=source.package):
        build_web(folders, SOURCES)


def test_the_survey_counts_pages_and_links_that_arrive(folders: dict[str, Path]) -> None:
    """A link to another host counts if its page exists.

    A link to a missing page counts as elsewhere.
    """
    source = SOURCES[0]
    page = folders[source.package] / source.folder / "more.html"
    page.write_text(
        "<p>tsvector and tsquery: full-text search</p><script>fts fts fts</script>"
        '<a href="index.html#top">up</a><a href="http://www.sqlite.org/none.html">no</a>'
        '<a href="https://live.example/">live</a><a href="mailto:a@b">m</a><a href="//[">x</a>'
    )
    table = survey(build_web(folders, SOURCES), debian_web.ALIASES).splitlines()
    assert table[1].split() == [source.host, "2", "1", "1", "1", "2"]
    assert table[-1] == f"on topic: {1 / (len(SOURCES) + 1):.2%} of the pages"


def test_on_topic_needs_mentions_and_density() -> None:
    """Two mentions are too few, three in a long page are too thin."""
    assert not is_about("full text search, text search")
    assert is_about("full text search, fts5, tsvector")
    assert not is_about("full text search, fts5, tsvector" + " word" * 2000)


def test_the_command_line_counts_the_pages(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hosts and pages are printed; a failure is one message and exit code 1."""
    monkeypatch.setattr(debian_web, "fetch", lambda *_: folders)
    assert main([]) == 0
    assert f"{len(SOURCES):6}  pages on {len(SOURCES)} hosts" in capsys.readouterr().out

    def fail(*_: object) -> None:
        raise PackageError("no lists")

    monkeypatch.setattr(debian_web, "fetch", fail)
    assert main([]) == 1
    assert capsys.readouterr().err == "no lists\n"
