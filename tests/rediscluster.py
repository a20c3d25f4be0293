"""A real cluster of Redis or Valkey servers on loopback, each in its own folder.

The nodes get the files of a cluster that exists already, so that they need not be made one: the
cluster can be used after about two seconds.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import redis
from certificates import Certificate
from ports import free_port
from programs import REDIS, installed
from redis.cluster import ClusterNode
from redisserver import PASSWORD, await_value

SLOTS = 16384


@dataclass
class Node:
    """One server of a cluster: primaries have slots, replicas the id of their primary."""

    name: str
    port: int
    bus: int
    folder: Path
    slots: str = ""
    primary: str = ""
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def line(self, of: Node) -> str:
        """Return the line about this node in the file of the node `of`."""
        flags = ("myself," if of is self else "") + ("slave" if self.primary else "master")
        where = f"127.0.0.1:{self.port}@{self.bus}"
        return f"{self.name} {where} {flags} {self.primary or '-'} 0 0 1 connected {self.slots}"

    def kill(self, by: signal.Signals = signal.SIGKILL) -> None:
        """End the server."""
        if self.process is not None:
            self.process.send_signal(by)
            self.process.wait()
            self.process = None


class RedisCluster:
    """Three primaries, each with a replica unless `replicas` is 0.

    `program` is the server's. With a `certificate` the nodes speak TLS and nothing else. A primary
    that does not respond for `timeout_ms` is replaced by its replica.
    """

    def __init__(
        self,
        folder: Path,
        program: str = "redis-server",
        *,
        replicas: int = 1,
        certificate: Certificate | None = None,
        timeout_ms: int = 1500,
        password: str = PASSWORD,
    ) -> None:
        self.password = password
        self._program = program
        self._certificate = certificate
        self._timeout_ms = timeout_ms
        ports = _free_ports(2 * 3 * (1 + replicas))
        self.nodes: list[Node] = []
        for number in range(3 * (1 + replicas)):
            own = folder / f"node-{number}"
            own.mkdir()
            node = Node(f"{number + 1:040x}", next(ports), next(ports), own)
            if number < 3:
                first, last = number * SLOTS // 3, (number + 1) * SLOTS // 3 - 1
                node.slots = f"{first}-{last}"
            else:
                node.primary = self.nodes[number % 3].name
            self.nodes.append(node)

    @property
    def url(self) -> str:
        """Return the value of ``store=``: two of the nodes, with the password."""
        where = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:2])
        if self._certificate is None:
            return f"redis://:{self.password}@{where}"
        return f"rediss://:{self.password}@{where}?ssl_ca_certs={self._certificate.chain}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            node.kill()

    def start(self) -> None:
        """Start all nodes at once, and wait until they are a cluster."""
        for node in self.nodes:
            lines = [each.line(node) for each in self.nodes]
            known = "\n".join([*lines, "vars currentEpoch 1 lastVoteEpoch 0", ""])
            (node.folder / "nodes.conf").write_text(known)
            self.start_node(node)
        self.wait_until_whole()

    def mend(self) -> None:
        """Start the nodes again that have ended, and wait until they are a cluster."""
        ended = [each for each in self.nodes if each.process is None]
        for node in ended:
            self.start_node(node)
        self.wait_until_whole()

    def start_node(self, node: Node) -> None:
        """Start one node; do not wait for it."""
        options = {
            "bind": "127.0.0.1", "requirepass": self.password, "masterauth": self.password,
            "save": "", "appendonly": "yes", "appendfsync": "always", "dir": node.folder,
            "cluster-enabled": "yes", "cluster-config-file": "nodes.conf",
            "cluster-port": node.bus, "cluster-node-timeout": self._timeout_ms,
            "repl-backlog-size": "1mb", "repl-diskless-sync-delay": 0, **self._doors(node),
        }  # fmt: skip
        line = [str(part) for name in options for part in (f"--{name}", options[name])]
        log = (node.folder / "log").open("ab")
        with log:
            node.process = subprocess.Popen([self._program, *line], stdout=log, stderr=log)

    def wait_until_whole(self, replicas: int | None = None) -> None:
        """Wait until every node can be used and every primary has its replicas."""
        wanted = len(self.nodes) // 3 - 1 if replicas is None else replicas

        def is_whole() -> bool | None:
            for node in (each for each in self.nodes if each.process is not None):
                with self.at(node) as client:
                    if client.cluster("INFO")["cluster_state"] != "ok":
                        return None
                    info = client.info("replication")
                    if info["role"] == "master" and info["connected_slaves"] < wanted:
                        return None
                    if info["role"] == "slave" and info["master_link_status"] != "up":
                        return None
            return True

        self.wait_for(lambda: _unless_refused(is_whole))

    def wait_until_replicas_are_named(self) -> None:
        """Wait until every node names a replica of every primary.

        A node names one that was started again only once it has heard how far that one has read.
        """

        def are_named() -> bool | None:
            for node in (each for each in self.nodes if each.process is not None):
                with self.at(node) as client:
                    rows = client.execute_command("CLUSTER SLOTS")
                    if not all(replicas for _, _, _, *replicas in rows):
                        return None
            return True

        self.wait_for(lambda: _unless_refused(are_named))

    @contextmanager
    def at(self, node: Node) -> Iterator[Any]:
        """Open a client of one node."""
        options: dict[str, Any] = {"port": node.port, "password": self.password}
        if self._certificate is not None:
            options |= {"ssl": True, "ssl_ca_certs": str(self._certificate.chain)}
        with redis.Redis("127.0.0.1", **options) as client:
            yield client

    def client(self) -> Any:
        """Return a client of the whole cluster; close it, or use it in a with block."""
        options: dict[str, Any] = {"password": self.password}
        if self._certificate is not None:
            options |= {"ssl": True, "ssl_ca_certs": str(self._certificate.chain)}
        nodes = [ClusterNode("127.0.0.1", each.port) for each in self.nodes if each.process]
        return redis.RedisCluster(startup_nodes=nodes, **options)

    def flush(self) -> None:
        """Empty all primaries."""
        with ExitStack() as stack:
            for node in self.primaries():
                stack.enter_context(self.at(node)).flushall()

    def primaries(self) -> list[Node]:
        """Return the running nodes that are primaries now."""
        found = []
        for node in (each for each in self.nodes if each.process is not None):
            with self.at(node) as client:
                if client.info("replication")["role"] == "master":
                    found.append(node)
        return found

    def slot_of(self, key: str) -> int:
        """Return the slot of a key."""
        with self.at(self.primaries()[0]) as client:
            return int(client.execute_command("CLUSTER KEYSLOT", key))

    def primary_of(self, key: str) -> Node:
        """Return the primary that serves a key."""
        slot = self.slot_of(key)
        with self.at(self.primaries()[0]) as client:
            for first, last, primary, *_ in client.execute_command("CLUSTER SLOTS"):
                if first <= slot <= last:
                    return next(each for each in self.nodes if each.port == primary[1])
        raise LookupError(key)

    @contextmanager
    def migrating(self, slot: int, source: Node, target: Node) -> Iterator[Callable[[], None]]:
        """Announce the move of a slot, yield a function that moves its keys, then move the slot."""
        with self.at(source) as old, self.at(target) as new:
            new.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", source.name)
            old.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", target.name)

            def move(most: int = 10_000) -> None:
                keys = old.execute_command("CLUSTER GETKEYSINSLOT", slot, most)
                if keys:
                    old.execute_command(
                        "MIGRATE", "127.0.0.1", target.port, "", 0, 5000,
                        "AUTH", self.password, "KEYS", *keys,
                    )  # fmt: skip

            yield move
            move()

            # What the source has sent before it knows of the change takes the slot back.
            looks: list[bool] = []

            def is_given() -> bool | None:
                looks.append(all(self._serves(node, slot, target) for node in (new, old)))
                if not looks[-1]:
                    for node in (new, old):
                        node.execute_command("CLUSTER SETSLOT", slot, "NODE", target.name)
                return looks[-3:] == [True] * 3 or None

            self.wait_for(is_given)

    def _serves(self, client: Any, slot: int, node: Node) -> bool:
        """Return whether `client` takes `node` for the primary of a slot."""
        rows = client.execute_command("CLUSTER SLOTS")
        return any(row[0] <= slot <= row[1] and row[2][1] == node.port for row in rows)

    def wait_for(self, look: Callable[[], Any], timeout_s: float = 300.0) -> Any:
        """Return the result of `look` when it is not None."""
        return await_value(look, timeout_s)

    def _doors(self, node: Node) -> dict[str, object]:
        if self._certificate is None:
            return {"port": node.port}
        chain, key = self._certificate.chain, self._certificate.key
        return {
            "port": 0, "tls-port": node.port, "tls-cluster": "yes", "tls-replication": "yes",
            "tls-cert-file": chain, "tls-key-file": key, "tls-ca-cert-file": chain,
            "tls-auth-clients": "no",
        }  # fmt: skip


def programs() -> list[str]:
    """Return the servers that may be installed."""
    return list(REDIS)


def is_installed(program: str) -> bool:
    """Return whether a server is installed."""
    return installed((program,)) is not None


def _unless_refused(look: Callable[[], bool | None]) -> bool | None:
    try:
        return look()
    except redis.RedisError:
        return None


def _free_ports(count: int) -> Iterator[int]:
    """Return different free ports."""
    found: set[int] = set()
    while len(found) < count:
        found.add(free_port())
    return iter(found)
