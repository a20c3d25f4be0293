"""Measures how often the language of a short query is found.

    python benchmarks/query_languages.py [--against SOURCES]

`OPEN` was written before the rules were changed, and the failures in it were looked at. `KEPT_BACK`
was written at the same time, and looked at once, when the change was done. `--against` measures
another copy of evocrawl too, a folder with the package.
"""  # fmt: skip

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

_HOME = Path(__file__).parents[1]
OPEN = {
    "en": ["window tiling compositor", "kernel bootloader encryption"],
    "de": ["Wärmepumpe Altbau", "Steuererklärung Frist"],
    "fr": ["pompe à chaleur", "vélo électrique pliant"],
    "es": ["cultivo de aguacate", "coche eléctrico usado"],
    "it": ["pannelli solari", "riscaldamento a pavimento"],
    "pt": ["energia eólica", "receita de bolo"],
    "nl": ["warmtepomp installeren", "fietsroutes kust"],
    "sv": ["vindkraft till havs", "surdegsbröd recept"],
    "pl": ["pompa ciepła", "samochód elektryczny"],
    "fi": ["sähköauton lataus", "ruisleipä ohje"],
}
KEPT_BACK = {
    "en": [
        "taskbar panel dock", "dock panel", "raspberry pi cluster", "sourdough starter hydration",
        "ukulele chords", "kombucha scoby", "mountain bike suspension", "latte art",
        "postgres replication lag", "nginx reverse proxy", "zebrafish genome", "tardigrade",
        "axolotl regeneration", "quantum annealing", "bonsai repotting", "vim plugin",
        "sauna stove", "tokamak plasma", "kanban board", "yoga asana", "tofu marinade",
    ],
    "de": ["Balkonkraftwerk", "Radweg Elbe", "Pilze sammeln", "Bergschuhe Test"],
    "fr": ["champignons comestibles", "jardin potager", "chaussures randonnée"],
    "es": ["bomba de calor", "huerto urbano", "setas comestibles"],
    "it": ["auto elettrica", "ricetta pane", "funghi commestibili"],
    "pt": ["bomba de calor preço", "cogumelos comestíveis", "carro elétrico"],
    "nl": ["paddenstoelen plukken", "elektrische auto laden"],
    "sv": ["svamp plocka", "elbil laddning", "fjällvandring"],
    "da": ["varmepumpe pris", "havvindmøller"],
    "nb": ["elbil lading", "fjelltur"],
    "fi": ["sienestys", "aurinkopaneeli hinta"],
    "pl": ["grzyby jadalne", "rower elektryczny"],
    "cs": ["tepelné čerpadlo", "jízdní kolo"],
    "tr": ["güneş enerjisi", "elektrikli araba"],
    "hu": ["hőszivattyú", "napelem ár"],
    "ro": ["pompă de căldură", "energie solară"],
    "id": ["mobil listrik", "resep nasi goreng"],
}  # fmt: skip


def main() -> None:
    """Print the share of languages found, and each query whose language was not."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", default="", metavar="SOURCES")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        print(json.dumps([_found(OPEN), _found(KEPT_BACK)]))
        return
    trees = [each for each in (asked.against, str(_HOME)) if each]
    for tree in trees:
        for name, rows in zip(("open", "kept back"), _run(tree), strict=True):
            for group in ("English", "other"):
                here = [row for row in rows if (row[0] == "en") == (group == "English")]
                wrong = [row for row in here if row[0] != row[2]]
                listed = ", ".join(f"{query} ({right}: {found})" for right, query, found in wrong)
                print(f"{tree}, {name}, {group}: {len(here) - len(wrong)} of {len(here)}; {listed}")


def _found(queries: dict[str, list[str]]) -> list[tuple[str, str, str]]:
    """Return the language, the query, and the language found of each query."""
    from evocrawl.relevance.query_language import language_of

    return [(code, each, language_of(each)) for code, some in queries.items() for each in some]


def _run(tree: str) -> list[list[tuple[str, str, str]]]:
    environment = {**os.environ, "PYTHONPATH": tree}
    command = [sys.executable, __file__, "--worker"]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, cwd=tree)
    rows: list[list[tuple[str, str, str]]] = json.loads(done.stdout)
    return rows


if __name__ == "__main__":
    main()
