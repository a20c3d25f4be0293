"""Classes of projects whose instances spiders pass to their callbacks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, NamedTuple

import attrs
from scrapy import Field, Item


@dataclass
class Product:
    """A dataclass; restoring one must not run `__post_init__`."""

    name: str
    price: float = 0.0
    tags: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Change the given value."""
        self.name += "!"


@dataclass(frozen=True, slots=True)
class Place:
    host: str
    at: tuple[int, int]


class Article(Item):
    title: Any = Field()
    seen: Any = Field()


class Point(NamedTuple):
    x: int
    y: int


class Colour(Enum):
    RED = "red"


class Size(IntEnum):
    SMALL = 1


@attrs.define
class Shop:
    name: str
    products: list[Product]


class Opaque:
    """No data class: it cannot be stored."""
