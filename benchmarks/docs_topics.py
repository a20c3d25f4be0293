"""Labels the pages of documentation: `docs_topics.py NAME FOLDER OUT.jsonl.gz TOPICS.tsv`.

FOLDER is that of an unpacked documentation package of Debian (`apt-get download`, `dpkg-deb -x`),
NAME its entry in `WEBS`. A page is of a topic by its place: the folder or the prefix of the name
that the authors chose, or, with `LISTED`, the table of contents of the chapter that lists it. No
words of the text are counted. At most `MOST` pages are taken, evenly over their sorted addresses,
with their links; those to other pages are dead.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

from evocrawl.core.model import Link
from evocrawl.extraction.document import Document, read

MOST = 1_000
LISTED = "chapter:"
"""A topic of the pages that the table of contents of this page lists, and of the page itself."""
_IN_CONTENTS = re.compile(r'<li class="toctree-l1"><a class="reference internal" href="([^"#]+)')

Topics = dict[str, tuple[str, str]]
WEBS: dict[str, tuple[str, Topics]] = {
    "linux": (r"translations/|genindex|search\.html", {
        "networking": ("network protocols and devices", r"^(networking|.*/net)/"),
        "filesystems": ("filesystem", r"^filesystems/"),
        "sound": ("sound audio", r"^sound/"),
        "gpu": ("graphics display driver", r"^gpu/|^fb/"),
        "virt": ("virtual machine hypervisor", r"^virt/"),
        "security": ("security access control", r"^security/|^admin-guide/(LSM|hw-vuln)/"),
        "scheduler": ("process scheduler", r"^scheduler/"),
        "media": ("video camera capture", r"(^|/)media/"),
        "crypto": ("cryptography", r"^crypto/"),
        "mm": ("memory management", r"(^|/)mm/"),
        "locking": ("locking synchronization", r"^(locking|RCU)/"),
        "trace": ("tracing events", r"^trace/"),
        "bpf": ("BPF programs", r"^bpf/"),
        "usb": ("USB device", r"(^|/)usb/"),
        "hwmon": ("temperature voltage sensor", r"^hwmon/"),
        "input": ("keyboard joystick input device", r"^input/"),
        "power": ("power management suspend", r"^power/|/pm/"),
        "process": ("submitting patches", r"^process/"),
    }),
    "cpp": (r"/Special|/Talk|/Template", {
        "container": ("containers vector list map", r"cpp/container/"),
        "thread": ("threads and mutexes", r"cpp/thread"),
        "io": ("input output streams", r"cpp/io"),
        "algorithm": ("sorting and searching algorithms", r"cpp/algorithm"),
        "random": ("random number distribution", r"cpp/numeric/random"),
        "string": ("strings of characters", r"cpp/string|cpp/experimental/basic_string"),
        "memory": ("smart pointers memory allocation", r"cpp/memory"),
        "chrono": ("time clock date", r"cpp/chrono"),
        "regex": ("regular expressions", r"cpp/regex"),
        "atomic": ("atomic operations", r"cpp/atomic"),
        "filesystem": ("files and directories", r"filesystem"),
        "locale": ("localization locale", r"cpp/locale"),
        "error": ("exceptions error handling", r"cpp/error"),
    }),
    "scipy": (r"_modules/|genindex|search\.html|release", {
        "stats": ("statistics probability distribution", r"scipy\.stats|tutorial/stats"),
        "optimize": ("optimization minimize", r"scipy\.optimize|optimize\."),
        "signal": ("signal processing filter", r"scipy\.signal|signal\."),
        "sparse": ("sparse matrix", r"scipy\.sparse"),
        "linalg": ("linear algebra", r"scipy\.linalg|tutorial/linalg"),
        "ndimage": ("image processing", r"scipy\.ndimage|ndimage\."),
        "interpolate": ("interpolation spline", r"scipy\.interpolate|interpolate"),
        "integrate": ("integration differential equations", r"scipy\.integrate|integrate\."),
        "spatial": ("spatial distance triangulation", r"scipy\.spatial|spatial\."),
        "fft": ("Fourier transform", r"scipy\.fft|fft\."),
        "special": ("special functions Bessel", r"scipy\.special|special\."),
        "cluster": ("clustering", r"scipy\.cluster"),
        "io": ("reading and writing files", r"scipy\.io|tutorial/io"),
    }),
    "grass": (r"_files/|^topic_|keywords|full_index|manual_gallery", {
        "raster": ("raster map", r"^r\.|^raster"),
        "vector": ("vector map", r"^v\.|^vector"),
        "imagery": ("satellite image classification", r"^i\.|^imagery"),
        "voxel": ("3D raster volume", r"^r3\.|^raster3d"),
        "temporal": ("time series temporal", r"^t\.|^temporal"),
        "database": ("database table", r"^db\.|^database|^sql"),
        "display": ("map display", r"^d\.|^display"),
        "watershed": ("hydrology water flow watershed", r"^r\.(water|stream|flow|basins|sim\.|"
                      r"terraflow|fill|lake|carve|topidx|drain|path|hydro|gwflow|solute)"),
        "graphs": ("network shortest path", r"^v\.net"),
        "gui": ("graphical user interface", r"^wxGUI|^g\.gui"),
    }),
    "python": (r"whatsnew/changelog|genindex|search\.html|_static", {
        "text": ("text processing strings", f"{LISTED}library/text.html"),
        "datatypes": ("data types collections", f"{LISTED}library/datatypes.html"),
        "numeric": ("mathematics and numbers", f"{LISTED}library/numeric.html"),
        "filesys": ("files and directories", f"{LISTED}library/filesys.html"),
        "archiving": ("compression archive zip", f"{LISTED}library/archiving.html"),
        "persistence": ("database persistence", f"{LISTED}library/persistence.html"),
        "allos": ("operating system interface", f"{LISTED}library/allos.html"),
        "concurrency": ("threads and processes concurrency", f"{LISTED}library/concurrency.html"),
        "ipc": ("sockets asynchronous networking", r"^library/(asyncio|socket|ssl|select|signal)"),
        "netdata": ("email json internet data", r"^library/(email|json|mailbox|mimetypes|base64)"),
        "markup": ("html xml parsing", r"^library/(xml|html|pyexpat)"),
        "internet": ("web http client server", f"{LISTED}library/internet.html"),
        "tk": ("graphical user interface tk", r"^library/(tk|tkinter|idle|dialog)"),
        "development": ("unit testing", r"^library/(unittest|doctest|test|pydoc|typing)"),
        "debug": ("debugging and profiling", f"{LISTED}library/debug.html"),
        "import": ("importing modules", f"{LISTED}library/modules.html"),
        "c_api": ("C API extension", r"^c-api/|^extending/"),
        "install": ("installing packages", r"^(distutils|distributing|installing)/"),
        "news": ("what's new changes", r"^whatsnew/"),
    }),
    "postgresql": (r"bookindex", {
        "commands": ("SQL commands", r"^sql-"),
        "functions": ("functions and operators", r"^functions"),
        "datatype": ("data types", r"^datatype"),
        "config": ("server configuration parameters", r"^runtime-config|^config-setting"),
        "plpgsql": ("procedural language", r"^pl(pgsql|perl|python|tcl)"),
        "catalogs": ("system catalogs and views", r"^(catalog|view|infoschema)-"),
        "replication": ("replication standby", r"replication|standby|high-avail|hot-standby"),
        "indexes": ("index", r"^(indexes|gin|gist|spgist|brin|hash-|btree|indexam|bloom)"),
        "textsearch": ("full text search", r"^textsearch"),
        "libpq": ("C library client", r"^libpq|^ecpg"),
        "backup": ("backup and restore", r"backup|^app-pg-?(dump|restore|basebackup|rewind)"),
        "auth": ("authentication password login", r"^auth-|^client-auth|^sasl|^ssl|gssapi"),
        "extensions": ("contributed modules extensions", r"^(pg[a-z]+|[a-z]+)\.html$"),
    }),
    "django": (r"_modules/|genindex|search\.html", {
        "database": ("database models queries", r"^topics/db/|^ref/models/"),
        "forms": ("form validation", r"forms"),
        "auth": ("user authentication permissions", r"auth"),
        "gis": ("geographic data maps", r"gis"),
        "i18n": ("translation internationalization", r"i18n|translation"),
        "releases": ("release notes", r"^releases/"),
        "testing": ("testing", r"testing"),
        "templates": ("templates", r"templates"),
        "views": ("views and http requests", r"class-based-views|topics/http|ref/views|request"),
        "internals": ("contributing to the project", r"^internals/"),
    }),
}  # fmt: skip
"""Name to the pattern of pages left out, and topics: query, and pattern of places or a chapter."""


def main() -> None:
    """Write the labelled web and its topics."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    out, table = Path(sys.argv[3]), Path(sys.argv[4])
    left_out, topics = WEBS[name]
    places = sorted(str(each.relative_to(folder)) for each in folder.rglob("*.htm*"))
    places = [each for each in places if not re.search(left_out, each)]
    places = places[:: -(-len(places) // MOST)]
    patterns = {topic: _pattern(folder, rule) for topic, (_, rule) in topics.items()}
    counts = dict.fromkeys(topics, 0)
    pages = 0
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for place in places:
            url = f"http://{name}.test/{place}"
            found = read(Document((folder / place).read_bytes(), url, content_type="text/html"))
            if not found.text:
                continue
            pages += 1
            own = [topic for topic, pattern in patterns.items() if pattern.search(place)]
            for topic in own:
                counts[topic] += 1
            row: dict[str, object] = {
                "url": url,
                "title": found.title,
                "text": found.text,
                "topics": own,
            }
            row["links"] = [_link(link) for link in found.links]
            file.write(json.dumps(row) + "\n")
    kept = [topic for topic, count in counts.items() if 5 <= count <= pages / 2]
    rows = [f"{name}\t{topic}\t{topics[topic][0]}" for topic in kept]
    table.write_text("\n".join(["split\ttopic\tquery", *rows, ""]))
    print(name, pages, {topic: counts[topic] for topic in topics})


def _link(link: Link) -> dict[str, str]:
    """Return the fields of a link that have a value."""
    row = {
        "url": link.url,
        "anchor": link.anchor,
        "context": link.context,
        "tag_path": link.tag_path,
    }
    return {key: value for key, value in row.items() if value}


def _pattern(folder: Path, rule: str) -> re.Pattern[str]:
    """Return the pattern of the places of a topic's pages."""
    if not rule.startswith(LISTED):
        return re.compile(rule)
    chapter = rule.removeprefix(LISTED)
    found = _IN_CONTENTS.findall((folder / chapter).read_text(encoding="utf-8"))
    home = chapter.rpartition("/")[0]
    places = [chapter, *(f"{home}/{each}" for each in found)]
    return re.compile("^(" + "|".join(map(re.escape, places)) + ")$")


if __name__ == "__main__":
    main()
