"""Puts this folder on the path, so that every test finds `checks` and `tiny_webs`."""

import gc
import signal
from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import settings
from order import in_order

# A busy machine must not fail a test.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """Let signals end the processes that tests start.

    A shell without job control has background commands ignore SIGINT, and children inherit that.
    """
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
        (signal.SIGHUP, signal.SIG_DFL),
        (signal.SIGQUIT, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Let the garbage collector visit no object of the collected tests.

    There are a million, and all of them stay: to visit them again and again took a quarter of the
    time in which each worker collects its tests.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests in an order that keeps the machine busy to the end."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = in_order(items, workers)


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a seeded generator."""
    return np.random.default_rng(0)
