"""Why a request was not sent: exceptions that spiders' errbacks see."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest, NotSupported


class OverBudget(IgnoreRequest):
    """The budget allows no further request."""


class LeaseLost(IgnoreRequest):
    """The worker's lease of the host has run out; nothing was sent.

    The worker that leases the host next follows the link.
    """


class RobotsUnreachable(IgnoreRequest):
    """The robots.txt of the host cannot be fetched, so no page of the host may be requested.

    The exception is also of the type of the failure, such as a refused connection.
    """


class SchemeRefused(IgnoreRequest, NotSupported):
    """Only http, https and data are followed."""


class HostGivenUp(IgnoreRequest):
    """The host has failed too often; nothing was sent.

    The exception is also of the type of the host's last failure: an errback finds the HttpError
    with the last answer, of whose body 4096 bytes are left, or the connection that was refused.
    """


class AddressRefused(IgnoreRequest):
    """The request would go to an address outside the public Internet; nothing was sent."""

    @classmethod
    def at(cls, host: str, address: str, kind: str) -> AddressRefused:
        """Make the exception for a host at `address`, an address of that kind."""
        return cls(f"{host} is at {address} ({kind})")


class PageTooLarge(Exception):  # noqa: N818 - like the others here
    """A page has become larger in the browser than DOWNLOAD_MAXSIZE allows."""
