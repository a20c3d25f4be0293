"""Documentation of 46 sites as a world, with topics that few pages have.

    python benchmarks/many_sites.py OUT.jsonl.gz TOPICS.tsv

The sites are packages of Debian 12, as in `demo.world`, which also has the addresses. A page is of
a topic if it contains the topic's terms four times, and often enough among its words. Links between
sites are rare, and most of those that lead out of the world are dead, so a crawl that begins on
another site must leave it. Prints the number of pages and of sites of each topic.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demo.debian_web import ALIASES, SOURCES, Source
from demo.packages import cache_folder, fetch
from demo.site import FolderSite, moved, plain_http
from demo.world import lines_of

_DOC, _LATEST = "usr/share/doc", "/en/latest/"
SITES = (
    ("grass-doc", "grass-doc/html", "grass.osgeo.org", "/grass82/manuals/"),
    ("gnuplot-doc", "gnuplot/htmldocs", "gnuplot.info", "/docs/"),
    ("pylint-doc", "pylint/html", "pylint.readthedocs.io", _LATEST),
    ("maxima-doc", "maxima-doc/html", "maxima.sourceforge.io", "/docs/manual/"),
    ("python-mpi4py-doc", "python-mpi4py-doc/html", "mpi4py.readthedocs.io", "/en/stable/"),
    ("python-pytest-doc", "python-pytest-doc/html", "docs.pytest.org", "/en/stable/"),
    ("git-doc", "git-doc", "git-scm.com", "/docs/"),
    ("zsh-doc", "zsh-common/html", "zsh.sourceforge.io", "/Doc/Release/"),
    ("twisted-doc", "twisted-doc/html/core", "docs.twisted.org", "/en/stable/core/"),
    ("python-gevent-doc", "python-gevent-doc/html", "www.gevent.org", "/"),
    ("exim4-doc-html", "exim4-doc-html", "www.exim.org", "/exim-html-current/doc/html/"),
    ("sphinx-doc", "sphinx-doc/html", "www.sphinx-doc.org", "/en/master/"),
    ("postfix-doc", "postfix/html", "www.postfix.org", "/"),
    ("python-tornado-doc", "python-tornado-doc/html", "www.tornadoweb.org", "/en/stable/"),
    ("slurm-wlm-doc", "slurm-wlm/html", "slurm.schedmd.com", "/"),
    ("python-scrapy-doc", "python-scrapy-doc/html", "docs.scrapy.org", _LATEST),
    ("numba-doc", "numba-doc/html", "numba.readthedocs.io", "/en/stable/"),
    ("python-tables-doc", "python-tables-doc/html", "www.pytables.org", "/"),
    ("ntpsec-doc", "ntpsec-doc/html", "docs.ntpsec.org", "/latest/"),
    ("python-ipython-doc", "python-ipython-doc/html", "ipython.readthedocs.io", "/en/stable/"),
    ("python-djangorestframework-doc", "python3-djangorestframework/html",
     "www.django-rest-framework.org", "/"),
    ("nodejs-doc", "nodejs/api", "nodejs.org", "/api/"),
    ("python-lxml-doc", "python-lxml/html", "lxml.de", "/"),
    ("python-cryptography-doc", "python-cryptography-doc/html", "cryptography.io", _LATEST),
    ("cython-doc", "cython-doc/html", "cython.readthedocs.io", "/en/stable/"),
    ("python-hypothesis-doc", "python-hypothesis-doc/html", "hypothesis.readthedocs.io", _LATEST),
    ("sbcl-doc", "sbcl", "www.sbcl.org", "/manual/"),
    ("debian-policy", "debian-policy/policy.html", "www.debian.org", "/doc/debian-policy/"),
    ("python-h5py-doc", "python-h5py-doc/html", "docs.h5py.org", "/en/stable/"),
    ("python-babel-doc", "python-babel-doc/html", "babel.pocoo.org", _LATEST),
    ("python-click-doc", "python-click-doc/html", "click.palletsprojects.com", "/en/8.1.x/"),
    ("python-requests-doc", "python-requests-doc/html", "requests.readthedocs.io", _LATEST),
    ("bind9-doc", "bind9-doc/arm", "bind9.readthedocs.io", _LATEST),
    ("python-jinja2-doc", "python-jinja2-doc/html", "jinja.palletsprojects.com", "/en/3.1.x/"),
    ("python-attr-doc", "python-attr-doc/html", "www.attrs.org", "/en/stable/"),
    ("gnutls-doc", "gnutls-doc", "www.gnutls.org", "/manual/"),
    ("python-mako-doc", "python-mako-doc/html", "docs.makotemplates.org", _LATEST),
    ("python-cffi-doc", "python-cffi-doc/html", "cffi.readthedocs.io", _LATEST),
)  # fmt: skip
"""Package, folder below usr/share/doc, host and path; the sites of the demonstration come first."""

TOPICS = (
    ("dev", "tls", "TLS certificate verification", r"\btls\b|\bssl\b|\bcertificates?\b"),
    ("dev", "dns", "DNS name server zone resolver", r"\bdns\b|\bname ?servers?\b|\bresolvers?\b"),
    ("dev", "maps", "raster map geographic projection", r"\braster\b|\bprojections?\b|\bgis\b"),
    ("dev", "regex", "regular expression pattern matching", r"\bregex\w*|regular expressions?"),
    ("dev", "mocks", "unit test fixtures and mock objects", r"\bfixtures?\b|\bmock\w*"),
    ("dev", "hdf5", "HDF5 file datasets and groups", r"\bhdf5\b|\bdatasets?\b"),
    ("dev", "mpi", "MPI message passing parallel processes", r"\bmpi\b|\branks?\b|\bslurm\b"),
    ("dev", "cookies", "HTTP cookies and sessions", r"\bcookies?\b|\bsessions?\b"),
    ("check", "integrals", "symbolic integration of functions", r"\bintegra(?:l|ls|te|tion)\b"),
    ("check", "plots", "plot axis labels and colors", r"\bplots?\b|\bplotting\b|\bax[ei]s\b"),
    ("check", "locale", "translation of messages and locales",
     r"\btranslat\w+|\blocales?\b|\bgettext\b"),
    ("check", "spam", "mail delivery, relay and spam", r"\bmail\b|\bspam\b|\bsmtp\b"),
    ("check", "clocks", "clock synchronization by NTP", r"\bntp\w*|\bclocks?\b"),
    ("check", "branches", "merge branches of a repository", r"\bbranch(?:es)?\b|\bmerg\w+"),
    ("check", "completion", "shell completion and prompt", r"\bcompletions?\b|\bprompts?\b"),
    ("check", "matrices", "linear algebra matrix", r"\bmatri(?:x|ces)\b|\beigen\w+"),
)  # fmt: skip
_MENTIONS, _PER_WORD, _FEWEST_WORDS = 4, 0.012, 40
_RULES = [(name, re.compile(terms, re.IGNORECASE)) for _, name, _, terms in TOPICS]


def opened() -> dict[str, FolderSite]:
    """Return the sites by host; fetch the packages that are missing in the cache."""
    others = [
        Source(package, f"{_DOC}/{folder}", host, prefix) for package, folder, host, prefix in SITES
    ]
    sources = [*SOURCES, *others]
    folders = fetch([source.package for source in sources], cache_folder())
    rewrite = plain_http([*(source.host for source in sources), *ALIASES])
    web = {}
    for source in sources:
        inside = folders[source.package]
        rules = source.moved if source.prefix == "/" else (*source.moved, ("/", source.prefix))
        web[source.host] = FolderSite(
            source.prefix, inside / source.folder, inside, source.robots, moved(*rules), rewrite
        )
    return web


def topics_of(title: str, text: str) -> list[str]:
    """Return the topics of a page."""
    words = f"{title} {text}"
    least = max(_MENTIONS, _PER_WORD * max(len(words.split()), _FEWEST_WORDS))
    return [name for name, terms in _RULES if sum(1 for _ in terms.finditer(words)) >= least]


def main() -> None:
    """Write the world and its topics."""
    out, table = map(Path, sys.argv[1:3])
    pages, hosts = Counter[str](), dict[str, Counter[str]]()
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for line in lines_of(opened(), ALIASES):
            if "title" in line:
                line["topics"] = topics_of(line["title"], line["text"])
                pages.update(["all", *line["topics"]])
                for topic in ("all", *line["topics"]):
                    hosts.setdefault(topic, Counter())[urlsplit(line["url"]).netloc] += 1
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    rows = ["split\ttopic\tquery", *("\t".join(each[:3]) for each in TOPICS), ""]
    table.write_text("\n".join(rows), encoding="utf-8")
    for topic, count in pages.items():
        print(f"{topic:12} {count:6} pages on {len(hosts[topic])} sites")


if __name__ == "__main__":
    main()
