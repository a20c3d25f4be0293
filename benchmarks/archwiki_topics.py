"""Labels the pages of the ArchWiki recording: `archwiki_topics.py FOLDER OUT.jsonl.gz TOPICS.tsv`.

The recording (FOLDER has start.jsonl.gz and redirects.json) has no labels. A page is of a topic if
the wiki's editors list it under a heading of the topic, as in "List of applications", if it is the
page of that list or a subpage of a listed page, or if its title matches a pattern. No words are
counted: that would favour models that count words. Pages that are lists of many topics have none.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BASE = "https://wiki.archlinux.org/index.php/"
_HEADING = re.compile(r"(#+) (.*)")
_ITEM = re.compile(r"\*\s+\*\*(.+?)\*\* —|\| ([A-Za-z0-9]+) \|")
TOPICS: dict[str, tuple[str, str, str]] = {
    "Window_managers": ("window manager", "Window manager#List of window managers",
                        r"^Window manager|applications-Window"),
    "Desktops": ("desktop environment", "Desktop environment#List of desktop environments",
                 r"^Desktop environment|Desktop Environment"),
    "Login_screens": ("display manager login screen",
                      "Display manager#List of display managers", r"^Display manager|^SLiM"),
    "Browsers": ("web browser", "*#Web browsers", r"^Browser"),
    "Chat": ("instant messaging chat client", "*#Instant messaging", ""),
    "Mail": ("email server and client", "*#Email clients|*#Email", r"mail\b|^(Postfix|Dovecot)"),
    "Audio": ("audio music player", "*#Audio", r"audio|^(ALSA|Music)\b"),
    "Files": ("file manager", "*#File managers", r"^File manager"),
    "Panels": ("taskbar panel dock", "*#Taskbars|List of applications-Taskbars panels docks#",
               r"Taskbars"),
    "File_systems": ("file systems", "File systems#Types of file systems",
                     r"^File systems|\b(Btrfs|NFS|ZFS|XFS|JFS|NTFS|F2FS)\b|filesystem"),
    "Intrusion": ("network security intrusion scan", "*#Network security", ""),
    "VPN": ("VPN client", "*#VPN clients", r"VPN"),
    "Backup": ("backup and synchronization", "Synchronization and backup programs#*",
               r"backup|^Rsync"),
    "Terminals": ("terminal emulator", "*#Terminal emulators", r"^Terminal"),
    "Network_managers": ("network manager wireless connection", "*#Network managers",
                         r"^Wireless|^Network (configuration|manager)"),
    "Video": ("video player", "*#Video", r"video player"),
    "Sites": ("blog engine content management", "*#Blog engines|*#Content management systems", ""),
    "Editors": ("text editor", "*#Text editors", r"^(Vim|Emacs)\b"),
    "Packaging": ("packaging guidelines", "", r"package guidelines|packaging standards"),
    "Laptops": ("laptop hardware", "",
                r"^(ASUS|Acer|Apple|Dell|Fujitsu|HP|IBM|Laptop|Lenovo|MacBook|MSI|Samsung|Sony"
                r"|ThinkPad|Toshiba)\b"),
}  # fmt: skip
"""Topic to query, lists as page#heading (* is any) and pattern of titles."""


def main() -> None:
    """Write the labelled world and its topics."""
    folder, out, table = (Path(each) for each in sys.argv[1:4])
    with gzip.open(folder / "start.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    listed = _listed(pages, json.loads((folder / "redirects.json").read_text()))
    labels = {
        page["title"]: [
            name for name, rule in TOPICS.items() if _is_of(page["title"], rule, listed)
        ]
        for page in pages
    }
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for page in pages:
            file.write(json.dumps({**page, "topics": labels[page["title"]]}) + "\n")
    rows = [f"web2\t{topic}\t{query}" for topic, (query, _, _) in TOPICS.items()]
    table.write_text("\n".join(["split\ttopic\tquery", *rows, ""]))
    for topic in TOPICS:
        found = [title for title, topics in labels.items() if topic in topics]
        print(topic, len(found), ", ".join(found[:60]))


def _listed(
    pages: list[dict[str, Any]], redirects: dict[str, str]
) -> dict[str, set[tuple[str, str]]]:
    """Return the lists in which each page is named, as page and heading."""
    by_url = {page["url"]: page["title"] for page in pages}
    by_name = {page["title"].casefold(): page["title"] for page in pages}
    found: dict[str, set[tuple[str, str]]] = {}
    for page in pages:
        for headings, name in _items(page["text"]):
            url = _BASE + (name[:1].upper() + name[1:]).replace(" ", "_")
            title = by_url.get(redirects.get(url, url)) or by_name.get(name.casefold())
            if title:
                found.setdefault(title, set()).update((page["title"], each) for each in headings)
    return found


def _items(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the headings above each item of a page's lists, and the item's name."""
    above: list[tuple[int, str]] = [(0, "")]
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            depth = len(heading[1])
            above = [*(each for each in above if each[0] < depth), (depth, heading[2].strip())]
        elif item := _ITEM.match(line):
            yield [each for _, each in above], (item[1] or item[2]).strip(" *")


def _is_of(title: str, rule: tuple[str, str, str], listed: dict[str, set[tuple[str, str]]]) -> bool:
    _, lists, pattern = rule
    if pattern and re.search(pattern, title, re.IGNORECASE):
        return True
    if title.startswith("List of applications"):
        return False
    places = listed.get(title, set()) | listed.get(title.partition("-")[0], set())
    wanted = [tuple(each.split("#")) for each in lists.split("|") if each]
    return any(page in ("*", place[0]) and heading in ("*", place[1])
               for page, heading in wanted for place in places)  # fmt: skip


if __name__ == "__main__":
    main()
