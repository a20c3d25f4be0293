"""The names of all keys of a crawl in Redis, and the address of a Redis.

Each host belongs to one of 64 *shards*, and the keys of a shard share one hash tag (``{NAME:7}``),
so a script for a host uses a single slot of a Redis Cluster. Links, pages, leases and claims grow
with the crawl: they are spread over the nodes by shard. Keys of the whole crawl have the tag
``{NAME}``: they are small, or bounded as the news are, and budget, workers and changes of users
must be one for all.

==============  =========  =======================================================================
key             type       holds
==============  =========  =======================================================================
about           string     the identity of the crawl, as JSON
mark            hash       the crawl's epoch, and the number of the worker that joined last
workers         hash       worker to deadline, hosts with open links, its need of hosts
status          hash       worker to what it reports of itself, as JSON; see `WorkerReport`
budget          hash       requests taken by workers, and each worker's last call
ended           string     why the crawl has ended, as JSON
inbox:WORKER    stream     links and agents for the hosts of a worker; the latest 20 000 or so
leases          stream     hosts that were leased, each with its worker; the latest 20 000 or so
parts:NAME      hash       worker to what it has learnt; NAME is a species, or "ranks"
numbers:NAME    hash       worker to how often it has sent that
quarantine      list       entries that could not be read
changes         list       what users have changed in the crawl, in order; see `changes`
heard           hash       worker to the number of changes that it has applied
rules:SPECIES   zset       the best rules of all workers' crawlers, by strength
shard:mark      hash       the crawl's epoch, and how many hosts of the shard have open links
shard:alive     hash       worker to deadline in this shard
shard:owner     hash       host to its lease, ``WORKER.TOKEN``
shard:todo      set        hosts with open links
shard:version   string     counts all changes to open links of the shard; leases take tokens here
open:HOST       hash       target to the link
done:HOST       hash       target to its outcome
pages:HOST      hash       page to its record
contents:HOST   hash       page to its content and links
bodies:HOST     hash       page to its HTTP response, if responses are kept
opt_outs:HOST   hash       server and path to an opt-out file, if the crawl asks for them
asking:SERVER   string     the worker that asks for the opt-out files of a server, for two minutes
guests:HOST     hash       agents that travelled to the host and wait for its owner
==============  =========  =======================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit
from zlib import crc32

from evocrawl.core.errors import StateError

SHARDS = 64
SCHEMES = ("redis://", "rediss://", "unix://")
DEFAULT_NAME = "evocrawl"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OPTIONS = re.compile(r"db|username|password|ssl_[a-z_]{1,30}")
_DATABASE = re.compile(r"/?\d*")


def is_shared(store: str) -> bool:
    """Return True when `store` is the address of a Redis, not a file."""
    return store.startswith(SCHEMES)


_UNREADABLE = (
    "the address of a Redis cannot be read; it is redis://[USER:PASSWORD@]HOST[:PORT][/DB], "
    "rediss://… the same for TLS, or unix://[USER:PASSWORD@]/PATH, where a password has %2F for /, "
    "%3F for ?, %23 for #, %5B for [ and %25 for %; a Redis Cluster may have several HOST[:PORT], "
    "with commas between them"
)


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """A Redis and the name of a crawl in it.

    >>> place = RedisAddress.of("redis://:secret@db.test:6379/2?crawl=coral")
    >>> place.name, place.url, str(place)
    ('coral', 'redis://:secret@db.test:6379/2', 'redis://db.test:6379/2?crawl=coral')
    """

    url: str = field(repr=False)
    name: str = DEFAULT_NAME

    @classmethod
    def of(cls, store: str) -> RedisAddress:
        """Read ``redis://[user:password@]host[:port][/db][?crawl=NAME]``; raises StateError.

        Or ``unix://[user:password@]/path``, or ``rediss://`` as ``redis://``, for TLS. A Redis
        Cluster may be named by several of its nodes, with commas between them. Further options are
        ``db`` and those for TLS, as redis-py names them, and ``password_file``, a file with the
        password. No error repeats any of it but the name of this file, since a password that is
        written wrongly may stand anywhere in it.
        """
        singles = _singles(store)
        parts, *_ = [_split(each) for each in singles]
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        name = options.pop("crawl", DEFAULT_NAME)
        netloc = _with_password(_netloc(store), options.pop("password_file", ""))
        if not all(map(_OPTIONS.fullmatch, options)):
            raise StateError(
                f"{_UNREADABLE}; options are crawl, db, password_file and those for TLS (ssl_…)"
            )
        if not _NAME.fullmatch(name):
            raise StateError("a crawl's name in a Redis has up to 64 letters, digits, - and _")
        # Not by urlunsplit, which makes unix:/path of unix:///path.
        query = f"?{urlencode(options)}" if options else ""
        return cls(f"{parts.scheme}://{netloc}{parts.path}{query}", name)

    @property
    def urls(self) -> list[str]:
        """The URL of each server that the address names, with user and password."""
        return _singles(self.url)

    @property
    def is_by_socket(self) -> bool:
        """True if the server is reached by a Unix socket."""
        return self.url.startswith("unix:")

    def at(self, host: str, port: int) -> str:
        """Return the URL of another node of the same cluster, with user, password and options."""
        parts = urlsplit(self.urls[0])
        users, mark, _ = parts.netloc.rpartition("@")
        where = f"[{host}]" if ":" in host else host
        return parts._replace(netloc=f"{users}{mark}{where}:{port}").geturl()

    def __str__(self) -> str:
        """Return the address without user, password and options."""
        parts = urlsplit(self.urls[0])
        where = _netloc(self.url).rpartition("@")[2]
        return f"{parts.scheme}://{where}{parts.path}?crawl={self.name}"


def _netloc(store: str) -> str:
    """Return users and hosts of an address, as they are written."""
    rest = store.partition("://")[2]
    return rest[: min((rest.index(mark) for mark in "/?#" if mark in rest), default=len(rest))]


def _with_password(netloc: str, file: str) -> str:
    """Return users and hosts of an address with the password in `file`, if one is named."""
    if not file:
        return netloc
    users, _, hosts = netloc.rpartition("@")
    try:
        password = Path(file).read_text("utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise StateError(f"the password of a Redis cannot be read from {file}: {why}") from None
    if not password or ":" in users:
        why = "the address has a password, too" if password else "it is empty"
        raise StateError(f"the password of a Redis cannot be taken from {file}: {why}")
    return f"{users}:{quote(password, safe='')}@{hosts}"


def _singles(store: str) -> list[str]:
    """Return one address for each host of an address that names several. Raises StateError."""
    scheme, mark, rest = store.partition("://")
    netloc = _netloc(store)
    users, at, hosts = netloc.rpartition("@")
    each = hosts.split(",")
    if len(each) > 1 and not all(each):
        raise StateError(_UNREADABLE)
    tail = rest[len(netloc) :]
    return [f"{scheme}{mark}{users}{at}{host}{tail}" for host in each]


def _split(store: str) -> SplitResult:
    """Return the parts of an address of one server.

    Raises StateError if it is invalid or has a ``#``.
    """
    try:
        parts = urlsplit(store)
        is_well = parts.port is None or parts.port > 0
    except ValueError:
        raise StateError(_UNREADABLE) from None
    is_well &= "#" not in store
    # An unquoted mark in a password moves the beginning of the password to the host.
    if parts.scheme == "unix":
        is_well &= len(parts.path) > 1 and "@" not in parts.path
        is_well &= not parts.netloc or parts.netloc.endswith("@")
    else:
        is_well &= _DATABASE.fullmatch(parts.path) is not None
        is_well &= not parts.netloc or bool(parts.hostname)
    if not is_well:
        raise StateError(_UNREADABLE)
    return parts


@dataclass(frozen=True, slots=True)
class KeyNames:
    """The keys of the crawl `name`."""

    name: str

    def whole(self, what: str) -> str:
        """Return a key of the whole crawl."""
        return f"evocrawl:{{{self.name}}}:{what}"

    def shard(self, shard: int, what: str) -> str:
        """Return a key of a shard."""
        return f"evocrawl:{{{self.name}:{shard}}}:{what}"

    def of(self, host: str, *what: str) -> list[str]:
        """Return keys of a host and of its shard; the names of host keys end with a colon."""
        begin = self.shard(shard_of(host), "")
        return [begin + each + host if each.endswith(":") else begin + each for each in what]


def mark_of(key: str) -> str:
    """Return the key of the mark in the slot of `key`.

    >>> mark_of("evocrawl:{coral:7}:open:a.test")
    'evocrawl:{coral:7}:mark'
    """
    return f"{key.partition('}')[0]}}}:mark"


def shard_of(host: str) -> int:
    """Return the shard of a host, the same in every process."""
    return crc32(host.encode(errors="replace")) % SHARDS
