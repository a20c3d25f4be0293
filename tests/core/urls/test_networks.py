"""Which addresses are public, in any spelling and embedding."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError
from evocrawl.core.urls.networks import NetworkPolicy, literal

PUBLIC = NetworkPolicy()
LOOPBACK_SPELLINGS = (
    "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7F000001", "017700000001", "127.0.0.1.",
    "１２７。0。0。1", "１２７.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "[::1]", "::1",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1%lo]", "%31%32%37.0.0.1", "127.0.0.1%2E",
    "①②⑦.⓪.⓪.①", "127｡0｡0｡1", "0177.0.0.1", "127.000.000.001", "%6Cocalhost",
)  # fmt: skip
REFUSED = {
    "0.0.0.0": "this network", "0.1.2.3": "this network", "127.8.9.10": "loopback",
    "10.1.2.3": "private", "172.31.0.1": "private", "192.168.1.1": "private",
    "169.254.169.254": "link-local", "100.100.100.200": "shared by a provider's customers",
    "168.63.129.16": "a cloud's own", "192.0.0.192": "reserved", "198.18.0.1": "benchmarking",
    "224.0.0.1": "multicast", "255.255.255.255": "reserved", "203.0.113.9": "documentation",
    "::": "unspecified", "::1": "loopback", "::ffff:10.0.0.1": "private",
    "::127.0.0.1": "IPv4-compatible", "::8.8.8.8": "IPv4-compatible",
    "64:ff9b::7f00:1": "loopback", "64:ff9b::a9fe:a9fe": "link-local",
    "64:ff9b:1::808:808": "NAT64 of a local network", "2002:7f00:1::": "6to4",
    "2002:808:808::1": "6to4", "2001:0:53aa:64c:0:fbff:80ff:fffe": "Teredo",
    "fd00:ec2::254": "private", "fe80::1": "link-local", "fe80::1%eth0": "link-local",
    "ff02::1": "multicast", "fec0::1": "site-local", "5f00::1": "reserved",
    "2001:db8::1": "documentation", "100::1": "reserved", "": "no address", "x": "no address",
}  # fmt: skip


@pytest.mark.parametrize("spelling", LOOPBACK_SPELLINGS)
def test_every_spelling_of_loopback_is_known(spelling: str) -> None:
    """B105, R19: numbers, octal, hexadecimal, full-width digits and mapped addresses."""
    address = literal(spelling)
    assert address is not None
    assert PUBLIC.refuses(address) == "loopback"


@pytest.mark.parametrize(("address", "kind"), REFUSED.items())
def test_an_address_that_is_not_public_is_refused_with_its_kind(address: str, kind: str) -> None:
    """B105, R19: also if `ipaddress` calls it global."""
    assert PUBLIC.refuses(address) == kind


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"],
)
def test_public_addresses_are_allowed(address: str) -> None:
    """Also if they are embedded by NAT64 or as mapped addresses."""
    assert PUBLIC.refuses(address) == ""


@pytest.mark.parametrize(
    "name", ["example.org", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "08.1.1.1", "0x", "a", "", "-1",
             "1.2.3.4x", "4294967296", "[::1", "localhost.example", "1..2", "9" * 5000],
)  # fmt: skip
def test_names_that_are_no_addresses_are_left_to_the_resolver(name: str) -> None:
    """A name that spells no address must be resolved; `0x` alone is 0, as in resolvers."""
    assert literal(name) == ("0.0.0.0" if name == "0x" else None)


@given(st.text(max_size=60))
def test_any_text_is_a_name_or_an_address(text: str) -> None:
    """Reading a host never raises."""
    found = literal(text)
    if found is not None:
        ip_address(found)
    assert isinstance(PUBLIC.refuses(text), str)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_number_is_an_address(number: int, is_hex: bool) -> None:
    """A single number gives all four bytes."""
    assert literal(hex(number) if is_hex else str(number)) == str(IPv4Address(number))


@given(st.integers(0, 2**32 - 1))
def test_a_refused_address_is_refused_in_any_embedding(number: int) -> None:
    """R19: in any IPv6 form of the refused address."""
    bare = IPv4Address(number)
    if not PUBLIC.refuses(str(bare)):
        return
    teredo = (0x20010000 << 96) | (number ^ 0xFFFFFFFF)
    for wrapped in (0xFFFF << 32 | number, number, (0x64FF9B << 96) | number,
                    (0x2002 << 112) | number << 80, teredo):  # fmt: skip
        assert PUBLIC.refuses(str(IPv6Address(wrapped)))


@given(st.ip_addresses())
def test_what_python_calls_private_is_never_public(address: IPv4Address | IPv6Address) -> None:
    """The tables of evocrawl forbid all that the standard library's do, and more."""
    unwrapped = getattr(address, "ipv4_mapped", None) or address
    if address not in ip_network("64:ff9b::/96") and (
        not unwrapped.is_global or unwrapped.is_multicast
    ):
        assert PUBLIC.refuses(str(address))


def test_allowed_networks_allow_their_addresses() -> None:
    """And no others; the address may be embedded."""
    networks = NetworkPolicy(["10.0.0.0/8", "::1/128"])
    assert [networks.refuses(a) for a in ("10.9.9.9", "::ffff:10.0.0.1", "::1")] == ["", "", ""]
    assert networks.refuses("127.0.0.1") == "loopback"
    assert not networks.is_everything


def test_all_addresses_are_allowed_only_if_both_families_are_named() -> None:
    """IPv4 and IPv6."""
    assert not NetworkPolicy(["0.0.0.0/0"]).is_everything
    everything = NetworkPolicy(["0.0.0.0/0", "::/0"])
    assert everything.is_everything
    assert [everything.refuses(a) for a in ("127.0.0.1", "fe80::1", "::127.0.0.1")] == ["", "", ""]


@pytest.mark.parametrize("raw", ["all", "*", "10.0.0.1/8", "10.0.0.0/33", "intranet", ["x"], [7]])
def test_a_text_that_is_no_network_is_refused(raw: object) -> None:
    """So that a mistake allows no address; the message gives the networks that allow all."""
    with pytest.raises(SettingError, match=r"for all addresses 0\.0\.0\.0/0 ::/0"):
        Config.read({"EVOCRAWL_ALLOW_NETWORKS": raw})


def test_networks_are_separated_by_spaces_or_commas() -> None:
    """An address is a network of one address."""
    config = Config.read({"EVOCRAWL_ALLOW_NETWORKS": "127.0.0.0/8,fd00::/8 10.0.0.1"})
    assert config.allow_networks == ("127.0.0.0/8", "fd00::/8", "10.0.0.1/32")
