"""Ports for programs that cannot use a port that the system chooses."""

from __future__ import annotations

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """Return a port of loopback that no program has, and that the system gives to none.

    It is outside the range from which Linux takes the ports of connections and of servers that ask
    for any port (32768 to 60999): one of that range may be taken before the program starts.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
