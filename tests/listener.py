"""A server that counts its connections."""

from __future__ import annotations

import socket
import threading


class Listener:
    """Accepts connections at an address, counts them and hangs up."""

    def __init__(self, host: str) -> None:
        self.calls = 0
        self._socket = socket.create_server((host, 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            self.calls += 1
            caller.close()

    def close(self) -> None:
        """Close the socket; the thread's accept ends with an error."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
