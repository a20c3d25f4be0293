"""Labels the pages of the ArchWiki recording by topic: `python benchmarks/archwiki_topics.py FOLDER OUT.jsonl.gz TOPICS.tsv`.

The recording (FOLDER has start.jsonl.gz and redirects.json) has no labels. A page is of a topic if it
links to one of the topic's hub pages and this hub links back, or if its title matches a pattern: the
editors' own links, and no count of words, which would favour models that count words.
"""  # noqa: E501

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

_BASE = "https://wiki.archlinux.org/index.php/"
TOPICS: dict[str, tuple[str, str, str]] = {
    "Window_managers": ("window manager", "Window_manager", ""),
    "Packaging": ("packaging guidelines", "", r"package guidelines"),
    "File_systems": ("file systems", "File_systems Btrfs NFS Samba", ""),
    "Desktops": ("desktop environment", "Desktop_environment GNOME KDE Xfce LXDE", ""),
    "Login_screens": ("display manager login screen", "Display_manager", ""),
    "Laptops": (
        "laptop hardware",
        "",
        r"^(ASUS|Acer|Apple|Dell|Fujitsu|HP|Lenovo|MacBook|Samsung|Sony|ThinkPad|Toshiba)\b",
    ),
    "Network": (
        "network connection wireless",
        "Network_configuration Wireless_network_configuration NetworkManager Systemd-networkd",
        "",
    ),
    "Users": ("user authentication permissions", "PAM Users_and_groups Polkit", ""),
    "Disks": ("disk encryption partition RAID", "Disk_encryption RAID LVM Partitioning", ""),
    "Graphics": ("graphics card driver", "NVIDIA ATI Kernel_mode_setting "
                 "Hardware_video_acceleration", ""),
    "Booting": ("boot loader", "GRUB Syslinux Arch_boot_process "
                "Unified_Extensible_Firmware_Interface Dual_boot_with_Windows", ""),
    "Mail": ("mail server", "Postfix Dovecot", r"\bmail\b"),
    "Virtual_machines": ("virtual machines containers", "QEMU Linux_Containers Systemd-nspawn "
                         "KVM VirtualBox", ""),
    "Power": ("power saving battery", "Power_management CPU_frequency_scaling "
              "Laptop_Mode_Tools", ""),
}  # fmt: skip
"""Topic to query, hub pages and pattern of titles."""


def main() -> None:
    """Write the labelled world and its topics."""
    folder, out, table = (Path(each) for each in sys.argv[1:4])
    with gzip.open(folder / "start.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    redirects = json.loads((folder / "redirects.json").read_text())
    links = {
        page["url"]: {redirects.get(link["url"], link["url"]) for link in page["links"]}
        for page in pages
    }
    labels = defaultdict(list)
    for topic, (_, hubs, pattern) in TOPICS.items():
        for page in pages:
            if _is_of(page, [_BASE + hub for hub in hubs.split()], pattern, links):
                labels[page["url"]].append(topic)
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for page in pages:
            file.write(json.dumps({**page, "topics": labels[page["url"]]}) + "\n")
    rows = [f"web2\t{topic}\t{query}" for topic, (query, _, _) in TOPICS.items()]
    table.write_text("\n".join(["split\ttopic\tquery", *rows, ""]))
    for topic in TOPICS:
        print(topic, sum(topic in each for each in labels.values()))


def _is_of(page: dict[str, Any], hubs: list[str], pattern: str, links: dict[str, set[str]]) -> bool:
    url = page["url"]
    if pattern and re.search(pattern, page["title"], re.IGNORECASE):
        return True
    return any(url == hub or (hub in links[url] and url in links.get(hub, ())) for hub in hubs)


if __name__ == "__main__":
    main()
