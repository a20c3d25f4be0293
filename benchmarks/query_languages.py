"""Measures how often the language of a short query is found.

    python benchmarks/query_languages.py [--against SOURCES]

`OPEN` was written before the rules were changed, and the failures in it were looked at. `KEPT_BACK`
was written at the same time, and looked at once, when the change was done. `--against` measures
another copy of evocrawl too, a folder with the package.
"""  # fmt: skip

from __future__ import annotations

from other_sources import measured_by_trees

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
    for tree, found in measured_by_trees(__doc__, lambda: [_found(OPEN), _found(KEPT_BACK)]):
        for name, rows in zip(("open", "kept back"), found, strict=True):
            for group in ("English", "other"):
                here = [row for row in rows if (row[0] == "en") == (group == "English")]
                wrong = [row for row in here if row[0] != row[2]]
                listed = ", ".join(f"{query} ({right}: {other})" for right, query, other in wrong)
                print(f"{tree}, {name}, {group}: {len(here) - len(wrong)} of {len(here)}; {listed}")


def _found(queries: dict[str, list[str]]) -> list[tuple[str, str, str]]:
    """Return the language, the query, and the language found of each query."""
    from evocrawl.relevance.query_language import language_of

    return [(code, each, language_of(each)) for code, some in queries.items() for each in some]


if __name__ == "__main__":
    main()
