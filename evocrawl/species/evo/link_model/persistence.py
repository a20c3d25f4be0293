"""Saves a learnt link model to a file, from which another crawl of the same topic can begin.

The file has the weights of both levels, the profile, the relevance of a good page, and the query.
It does not have the evidence, which belongs to the pages of one crawl. Its format is that of
`numpy.savez`; it is read without pickle.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evocrawl.core.errors import SettingError
from evocrawl.species.evo.link_model.features import FEATURES
from evocrawl.species.evo.link_model.hashing import BUCKETS
from evocrawl.species.evo.link_model.model import LinkModel
from evocrawl.species.evo.link_model.posterior import Posterior

VERSION = 7
DOUBT = 4.0
"""Learnt weights count as much as 1/DOUBT of their examples would count in this crawl."""

_MOST_BYTES = 1 << 24

State = Mapping[str, npt.NDArray[Any]]


def to_state(model: LinkModel, query: str = "") -> dict[str, npt.NDArray[Any]]:
    """Return what `model` has learnt about `query`; only words that it has seen take space."""
    words = np.flatnonzero(model.words.weights).astype(np.uint16)
    profile, profile_weights = model.profile.terms()
    return {
        "version": np.array(VERSION),
        "features": np.array(FEATURES),
        "query": np.array(query),
        "mean": model.posterior.mean.copy(),
        "covariance": model.posterior.covariance.copy(),
        "reference": np.array(model.labels.reference),
        "bias": np.array(model.words.bias),
        "words": words,
        "weights": model.words.weights[words],
        "squares": model.words.squares[words],
        "profile": profile,
        "profile_weights": profile_weights,
        "profile_scale": np.array(model.profile.scale),
    }


def from_state(model: LinkModel, state: State) -> None:
    """Set the learnt state of another model as the prior of a new `model`.

    Raises ValueError if the version, the features or the shapes differ, or a number is not finite.
    """
    version = int(state["version"])
    if version != VERSION:
        raise ValueError(
            f"what was learnt is of version {version}, this evocrawl reads version {VERSION}"
        )
    if set(state) != set(to_state(model)) or tuple(state["features"].tolist()) != FEATURES:
        raise ValueError("what was learnt has not the parts and features of this evocrawl's models")
    _check(state)
    mean, covariance = state["mean"].astype(float), state["covariance"].astype(float)
    precision = np.linalg.inv(DOUBT * covariance + 1e-9 * np.eye(len(mean)))
    model.posterior = Posterior(mean, (precision + precision.T) / 2)
    words = state["words"]
    model.words.weights[words] = state["weights"]
    model.words.squares[words] = state["squares"]
    model.words.bias = float(state["bias"])
    model.labels.begin_near(float(state["reference"]))
    model.profile.inherit(state["profile"], state["profile_weights"], float(state["profile_scale"]))
    if model.profile.label_share > 0:
        model.nearness.stop()


def save(model: LinkModel, path: str | Path, query: str = "") -> None:
    """Write what `model` has learnt about `query` to a file, atomically. Raises OSError."""
    beside = Path(f"{path}.part")
    with beside.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **to_state(model, query))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def load(model: LinkModel, path: str | Path) -> None:
    """Load a file into a new `model`. Raises SettingError if the file is missing or invalid."""
    allowed = "a file that a crawl has written by learn_to"
    try:
        if Path(path).stat().st_size > _MOST_BYTES:
            raise ValueError("it is too large")
        _check_sizes(path)
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as state:
            from_state(model, {name: state[name] for name in state.files})
    except (
        OSError, ValueError, TypeError, KeyError, EOFError, AttributeError, zipfile.BadZipFile,
        np.linalg.LinAlgError,
    ) as error:  # fmt: skip
        raise SettingError("learnt", str(path), f"{allowed} ({error})") from error


def query_of(path: str | Path) -> str:
    """Return the query of the crawl that wrote a file which `load` has read. Raises OSError."""
    with np.load(path, allow_pickle=False) as state:
        return str(state["query"])


def digest(path: str | Path) -> str:
    """Return a digest of the content of a file; "" for no path. Raises OSError."""
    return blake2b(Path(path).read_bytes(), digest_size=8).hexdigest() if path else ""


def _check_sizes(path: str | Path) -> None:
    """Raise ValueError, before unpacking, if a file would unpack to an excessive size."""
    with zipfile.ZipFile(path) as archive:
        if sum(each.file_size for each in archive.infolist()) > _MOST_BYTES:
            raise ValueError("it is too large")


def _check(state: State) -> None:
    d, words, profile = len(FEATURES), state["words"], state["profile"]
    shapes = {
        "mean": (d,), "covariance": (d, d), "reference": (), "bias": (), "profile_scale": (),
        "weights": words.shape, "squares": words.shape, "profile_weights": profile.shape,
    }  # fmt: skip
    for name, shape in shapes.items():
        values = state[name]
        if values.dtype.kind != "f" or values.shape != shape or not np.isfinite(values).all():
            raise ValueError(f"{name} is not {shape} finite numbers")
    if state["query"].dtype.kind != "U" or state["query"].shape:
        raise ValueError("its query is no text")
    for ids in (words, profile):
        if ids.dtype != np.uint16 or ids.ndim != 1 or (ids >= BUCKETS).any():
            raise ValueError("it has invalid words")
    if (state["squares"] <= 0).any() or state["reference"] <= 0 or state["profile_scale"] < 0:
        raise ValueError("it has numbers below 0")
