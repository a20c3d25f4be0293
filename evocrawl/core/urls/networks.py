"""Decides which IP addresses a crawl may connect to: only the public Internet by default.

A page can link to anything: this machine, the router, a cloud's metadata service. So an address is
refused unless it is globally reachable by IANA's special-purpose registries (RFC 6890
and its updates), or lies in a network that the user allows.

An IPv6 address that only wraps an IPv4 address (mapped, RFC 4291 §2.5.5.2; NAT64, RFC 6052) is
treated as that address. Obsolete transition forms (6to4, Teredo, IPv4-compatible) are always
refused: filters that allowed them caused CVE-2026-53754.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias
from urllib.parse import unquote

from evocrawl.core.urls.hostnames import address_text

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_SPECIAL_4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a provider's customers",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "a cloud's own",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "6to4",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
_SPECIAL_6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::/96": "IPv4-compatible",
    "64:ff9b:1::/48": "NAT64 of a local network",
    "2001::/32": "Teredo",
    "2001::/23": "reserved",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "3fff::/20": "documentation",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_KINDS: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(network), kind) for network, kind in (_SPECIAL_4 | _SPECIAL_6).items()
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")

EVERYTHING = (IPv4Network("0.0.0.0/0"), IPv6Network("::/0"))
"""The two networks that contain every address."""

_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)


class NetworkPolicy:
    """Allows the public Internet and the networks `allowed` (CIDR).

    >>> networks = NetworkPolicy(["10.1.0.0/16"])
    >>> networks.refuses("93.184.216.34"), networks.refuses("10.1.2.3")
    ('', '')
    >>> networks.refuses("10.2.0.1"), networks.refuses("::ffff:127.0.0.1")
    ('private', 'loopback')
    """

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = tuple(map(ip_network, allowed))

    @property
    def is_everything(self) -> bool:
        """True if every address is allowed."""
        return set(EVERYTHING) <= set(self.allowed)

    def refuses(self, address: str) -> str:
        """Return the kind of a refused address, such as "private", "" for an allowed address.

        Refuses text that is not an IP address. Runtime complexity: O(networks).
        """
        try:
            written = ip_address(address.partition("%")[0])
        except ValueError:
            return "no address"
        meant = _unwrapped(written)
        if any(each in network for network in self.allowed for each in (written, meant)):
            return ""
        return _kind(meant)


def read_networks(raw: str | Iterable[str]) -> tuple[str, ...]:
    """Parse networks in CIDR notation, separated by spaces or commas, to their normal form.

    Raises ValueError for an invalid network ("all" is invalid, too; write 0.0.0.0/0 ::/0) and for
    a network with host bits set.

    >>> read_networks("10.0.0.0/8, fd00::/8 127.0.0.1")
    ('10.0.0.0/8', 'fd00::/8', '127.0.0.1/32')
    """
    entries = filter(None, re.split(r"[,\s]+", raw)) if isinstance(raw, str) else raw
    networks = []
    for entry in entries:
        if not isinstance(entry, str):
            raise TypeError(entry)
        networks.append(str(ip_network(entry)))
    return tuple(networks)


def literal(host: str) -> str | None:
    """Return the IP address that `host` spells, None if it is a name to be looked up.

    Accepts every spelling that resolvers and browsers accept: decimal, octal and hexadecimal parts,
    fewer than four of them, full-width digits, percent-encoding, brackets (WHATWG URL, host
    parser). The names ``localhost`` and ``*.localhost`` are 127.0.0.1 (RFC 6761 §6.3).

    >>> [literal(host) for host in ("2130706433", "0x7f.1", "[::1]", "example.org")]
    ['127.0.0.1', '127.0.0.1', '::1', None]
    """
    name = (
        unicodedata.normalize("NFKC", unquote(host)).replace("。", ".").strip().lower().rstrip(".")
    )
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    if ":" in name:
        try:
            return address_text(ip_address(name.partition("%")[0]))
        except ValueError:
            return None
    return _numeric(name.split("."))


def _numeric(parts: list[str]) -> str | None:
    """Return the address as inet_aton does: the last part fills the remaining bytes."""
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)) or max(map(len, parts)) > 40:
        return None
    try:
        *high, last = map(_number, parts)
    except ValueError:
        return None
    if any(part > 255 for part in high) or last >= 256 ** (4 - len(high)):
        return None
    return str(IPv4Address(last + sum(part << 8 * (3 - i) for i, part in enumerate(high))))


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") else int(part)


def _unwrapped(address: Address) -> Address:
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _kind(address: Address) -> str:
    for network, kind in _KINDS:
        if address in network:
            return kind
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return "reserved"
    return ""
