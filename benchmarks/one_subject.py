"""Fits the chances of `one_subject` on webs about one subject each, and tests them on others.

    python benchmarks/one_subject.py WORLD TOPICS [WORLD TOPICS]… [--write]

The webs are those of `archwiki_topics.py` and `docs_topics.py`. For each web the chances are fitted
on all the other webs (each with one weight a topic and one a web), and their error is given before
and after. `--write` puts the fit on all webs into calibration.json. The log-odds before are those
of the shipped curves, which `calibration.py` fits on another web.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from calibration import MIXES, MODELS, TARGET, chances
from labelled_pages import Floats, Judged, calibration_error, interval, judged
from sklearn.linear_model import LogisticRegression

Webs = dict[str, list[Judged]]


def log_odds(topic: Judged, mix: str, numbers: dict[str, Any]) -> Floats:
    """Return the log-odds of pages by the shipped curves."""
    found = np.clip(chances(topic, mix, numbers)[0], 1e-12, 1 - 1e-12)
    odds: Floats = np.log(found / (1 - found))
    return odds


def fit(webs: Webs, mix: str, numbers: dict[str, Any]) -> dict[str, float]:
    """Return offset and slope by which the log-odds of a model or mix change on these webs."""
    topics = [(each, len(found)) for found in webs.values() for each in found]
    xs = np.concatenate([log_odds(topic, mix, numbers) for topic, _ in topics])
    ys = np.concatenate([topic.labels for topic, _ in topics])
    weights = np.concatenate(
        [np.full(len(topic.labels), 1 / topic.labels.sum() / count) for topic, count in topics]
    )
    model = LogisticRegression(C=1e3, max_iter=500)
    model.fit(xs[:, None], ys, weights * len(weights) / weights.sum())
    return {
        "offset": round(float(model.intercept_[0]), 3),
        "slope": round(float(model.coef_[0][0]), 3),
    }


def main() -> None:
    """Print the error of each web, before and after, then the fit on all webs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("webs", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write calibration.json")
    asked = parser.parse_args()
    numbers = json.loads(TARGET.read_text())
    webs = {
        world.name.partition(".")[0]: judged(world, table, MODELS)
        for world, table in zip(asked.webs[::2], asked.webs[1::2], strict=True)
    }
    fitted = {}
    print("| model | web | topics | ECE before | ECE after |")
    print("| --- | --- | --- | --- | --- |")
    for mix in [*MODELS, *map("+".join, MIXES)]:
        own: list[tuple[list[float], list[float]]] = []
        for web, topics in webs.items():
            others = {name: found for name, found in webs.items() if name != web}
            own.append(_errors(topics, mix, numbers, fit(others, mix, numbers)))
            _print(mix, web, *own[-1])
        _print(mix, "all", *([one for row in own for one in row[side]] for side in (0, 1)))
        fitted["+".join(sorted(mix.split("+")))] = fit(webs, mix, numbers)
    print(json.dumps(fitted))
    if asked.write:
        TARGET.write_text(json.dumps(numbers | {"one_subject": fitted}, indent=2) + "\n")


def _errors(
    topics: list[Judged], mix: str, numbers: dict[str, Any], change: dict[str, float]
) -> tuple[list[float], list[float]]:
    before, after = [], []
    for topic in topics:
        odds = log_odds(topic, mix, numbers)
        changed = change["offset"] + change["slope"] * odds
        before.append(calibration_error(_chance(odds), topic.labels))
        after.append(calibration_error(_chance(changed), topic.labels))
    return before, after


def _chance(odds: Floats) -> Floats:
    found: Floats = 0.5 + 0.5 * np.tanh(0.5 * odds)
    return found


def _print(mix: str, web: str, before: list[float], after: list[float]) -> None:
    cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*interval(each)) for each in (before, after)]
    print(f"| `{mix}` | {web} | {len(before)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
