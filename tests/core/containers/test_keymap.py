"""Compact maps and sets of fingerprints."""

from __future__ import annotations

from hashlib import blake2b
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.containers.keymap import KeyMap, KeySet

KEYS = [b"", b"key", b"\0" * 12, b"\0" * 11, *(b"%012d" % number for number in range(12))]
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "discard"]), st.sampled_from(KEYS), st.integers(0, 2**64 - 1)
    ),
    max_size=60,
)


def key(number: int) -> bytes:
    """Return a fingerprint like those of URLs."""
    return blake2b(b"%d" % number, digest_size=12).digest()


@given(ACTIONS, st.sampled_from([0, 3, 100]))
def test_a_map_holds_what_a_dict_holds(actions: list[tuple[str, bytes, int]], small: int) -> None:
    """As a dict, packed, and while it changes from one form to the other; keys of any length."""
    keys, model = KeyMap("<dQ", small), dict[bytes, tuple[float, int]]()
    for action, name, number in actions:
        if action == "put":
            keys.put(name, 0.1, number)
            model[name] = (0.1, number)
        else:
            keys.discard(name)
            model.pop(name, None)
        assert len(keys) == len(model)
        assert {name: keys.get(name) for name in KEYS if name in keys} == model
        assert keys.get_each(KEYS) == [*map(model.get, KEYS)]
        assert keys.contains_each(KEYS) == [name in model for name in KEYS]
        assert set(keys) == set(model)


def test_thousands_of_keys_are_found_and_no_others() -> None:
    """Also after half of them are removed."""
    keys = KeySet(10)
    for number in range(5000):
        keys.add(key(number))
    for number in range(0, 5000, 2):
        keys.discard(key(number))
    assert len(keys) == 2500
    assert [number for number in range(10_000) if key(number) in keys] == [*range(1, 5000, 2)]


@pytest.mark.parametrize(
    ("count", "small"), [(0, 0), (0, 10), (7, 10), (1, 0), (29, 0), (3000, 10)]
)
def test_a_dumped_map_is_loaded_and_goes_on(count: int, small: int) -> None:
    """What was in the map before is gone; later changes find their places."""
    dumped, loaded = KeyMap("<dQ", small), KeyMap("<dQ", small)
    loaded.put(b"a key before", 0.1, 1)
    model = {key(number): (number / 2, number) for number in range(count)}
    model |= dict.fromkeys(KEYS[:2], (1.0, 2))
    for name, values in model.items():
        dumped.put(name, *values)
    loaded.load(*dumped.dump()[1:])
    for number in range(0, 2 * count, 3):
        loaded.put(key(number), 0.5, 3)
        model[key(number)] = (0.5, 3)
    for number in range(0, count, 7):
        loaded.discard(key(number))
        model.pop(key(number))
    assert len(loaded) == len(model)
    assert {name: loaded.get(name) for name in loaded} == model


@pytest.mark.parametrize("length", [1, 11])
def test_a_part_of_a_key_is_no_key(length: int) -> None:
    """Nor are bytes across the border of two keys."""
    keys = KeySet(0)
    whole = bytes(range(200))
    for at in range(0, 192, 12):
        keys.add(whole[at : at + 12])
    assert whole[:length] not in keys
    assert keys.get(whole[:length]) is None
    assert whole[12 - length : 24 - length] not in keys


def test_values_that_look_like_a_key_are_no_keys() -> None:
    """A key is found only at the beginning of a record."""
    keys = KeyMap("<12s", 0)
    keys.put(b"twelve bytes", b"other bytes!")
    assert b"other bytes!" not in keys
    keys.put(b"other bytes!", b"twelve bytes")
    assert keys.get(b"other bytes!") == (b"twelve bytes",)
    assert keys.get(b"twelve bytes") == (b"other bytes!",)


@given(st.integers(0, 40), st.integers(0, 300), st.integers(1, 3000))
def test_a_frozen_map_is_read_as_it_was(seed: int, count: int, size: int) -> None:
    """While records are added, changed and removed, and buckets are split."""
    keys, rng = KeyMap("<Q", small=0), Random(seed)
    for number in range(count):
        keys.put(key(number), number)
    keys.put(b"short", 1)
    form, few, records = keys.dump()
    frozen_form, frozen_few, frozen = keys.freeze()
    read = b""
    for piece in frozen.pieces(size):
        read += piece
        for _ in range(20):
            keys.put(key(rng.randrange(2 * count + 1)), rng.randrange(1 << 60))
            keys.discard(key(rng.randrange(2 * count + 1)))
        keys.put(b"short", 2)
    assert read == records
    assert (frozen_form, [*frozen_few.items()]) == (form, few)


def test_a_map_is_frozen_for_one_reader_at_a_time() -> None:
    """The earlier one is not left with a part of the records, and keeps no copies."""
    keys = KeySet(0)
    for number in range(200):
        keys.add(key(number))
    first = keys.freeze()[2]
    pieces = first.pieces(1000)
    assert next(pieces)
    second = keys.freeze()[2]
    for number in range(200):
        keys.discard(key(number))
    with pytest.raises(ValueError, match="another reader"):
        next(pieces)
    assert not first._kept
    assert len(b"".join(second.pieces(1000))) == 200 * 12
