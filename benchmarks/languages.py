"""Measures how well pages about a query are found in many languages by their words (tf-idf).

    python benchmarks/languages.py [--against SOURCES]

For each language a query, three pages of a sentence or two about it in several forms of its words,
and two pages that share a word with it and have another topic: those of
tests/relevance/language_samples.py and of `MORE`. `recall`: the share of the relevant pages with a
score above 0. `precision`: the share of relevant ones among the three best of the pages with such a
score. `--against` measures another copy of evocrawl too, a folder with the package.
"""  # fmt: skip

from __future__ import annotations

import sys

import numpy as np
from other_sources import HOME, measured_by_trees

MORE = {
    "de": ("Seit Jahren bleichen die Korallenriffe aus, weil das Wasser zu warm ist.",
           "Ausgebleichte Korallen erholen sich nur, wenn das Meer wieder kühler wird."),
    "nl": ("De zee steeg vorige eeuw twintig centimeter; de zeespiegel stijgt steeds sneller.",
           "Dijken moeten hoger worden omdat de zeespiegelstijging doorgaat."),
    "sv": ("Havets försurning hotar koraller och musslor.",
           "Forskare mäter hur havet försuras när halten av koldioxid ökar."),
    "fi": ("Merenpinnan noustessa rannikko jää veden alle.",
           "Meren pinta on noussut jo kaksikymmentä senttiä."),
    "fr": ("Les récifs blanchissent quand l’eau se réchauffe, et les coraux meurent.",
           "Le corail blanchi peut se remettre si la mer refroidit."),
    "es": ("El océano se acidifica al absorber dióxido de carbono.",
           "La acidificación de los océanos amenaza a los corales."),
    "pl": ("Rafy koralowe bieleją, gdy morze się ociepla.",
           "Naukowcy badają bielenie raf u wybrzeży Australii."),
    "ru": ("Кораллы обесцвечиваются из-за нагрева океана.",
           "Учёные изучают обесцвечивание коралловых рифов."),
    "el": ("Τα κοράλλια λευκαίνονται όταν θερμαίνεται η θάλασσα.",
           "Η λεύκανση του κοραλλιού απειλεί τους υφάλους."),
    "tr": ("Mercanların ağarması resiflerin ölümüne yol açar.",
           "Isınan denizde mercan resifleri ağarıyor."),
    "ar": ("يهدد ابيضاض الشعاب المرجانية الحياة في البحر.",
           "المرجان يبيضّ حين يسخن ماء البحر."),
    "fa": ("مرجان‌ها با گرم شدن دریا سفید می‌شوند.",
           "سفیدشدن مرجان‌ها زندگی ماهی‌ها را تهدید می‌کند."),
    "he": ("האלמוגים מלבינים כאשר הים מתחמם.",
           "הלבנת האלמוגים פוגעת בדגי השונית."),
    "hi": ("समुद्र गर्म होने से प्रवाल भित्तियों का विरंजन बढ़ रहा है।",
           "हिंद महासागर में प्रवालों का विरंजन तेज़ हुआ है।"),
    "th": ("ปะการังฟอกขาวทำให้ปลาในแนวปะการังลดลง",
           "เมื่อทะเลร้อน ปะการังจะฟอกขาวและตาย"),
    "ja": ("サンゴが白化すると魚の住みかが失われる。",
           "沖縄のサンゴ礁で白化現象が広がっている。"),
    "zh": ("大堡礁的珊瑚正在大面积白化。",
           "珊瑚礁白化威胁鱼类的生存。"),
    "ko": ("바다가 뜨거워져 산호가 하얗게 백화되고 있다.",
           "산호 백화로 물고기의 서식지가 줄었다."),
}  # fmt: skip
"""Two further pages about the query of each language."""
KEPT_BACK = [
    ("de", "Gletscherschmelze",
     ["In den Alpen schmelzen die Gletscher jedes Jahr um mehrere Meter.",
      "Die Schmelze der Gletscher lässt den Pegel der Flüsse im Frühjahr steigen.",
      "Forscher messen, wie schnell die Gletscher in Island abschmelzen.",
      "Ohne Schnee im Winter geht das Gletschereis zurück, und die Gletscherschmelze beschleunigt"
      " sich.",
      "Wenn das Eis geschmolzen ist, bleibt vom Gletscher nur Geröll."],
     ["Die Schneeschmelze auf der Wiese macht die Wanderwege matschig.",
      "Auf dem Gletscher fahren auch im Sommer Skifahrer.",
      "Butter und Schokolade im Wasserbad langsam schmelzen lassen.",
      "Der Gletscher ist ein beliebtes Eis mit Minze und Schokolade.",
      "In der Schmelze des Hüttenwerks arbeitet sie seit zehn Jahren."]),
    ("fr", "fonte des glaciers",
     ["Les glaciers des Alpes fondent de plus en plus vite chaque été.",
      "La fonte du glacier alimente la rivière au printemps.",
      "Sous l’effet de la chaleur, le glacier a fondu de trois mètres en un an.",
      "Des chercheurs mesurent la fonte des glaces au Groenland et des glaciers d’Islande.",
      "Quand un glacier fond, il laisse des lacs instables derrière lui."],
     ["La poêle en fonte garde la chaleur longtemps.",
      "Le glacier du quartier vend des sorbets à la framboise.",
      "Faites fondre le beurre dans une casserole.",
      "La fonte de la statue a duré deux mois dans l’atelier.",
      "Les glaciers italiens préparent leurs glaces chaque matin."]),
    ("ru", "таяние ледников",
     ["Ледники Кавказа тают быстрее, чем раньше.",
      "Из-за таяния ледника река весной выходит из берегов.",
      "Учёные измеряют, насколько растаял ледник за лето.",
      "Ледник теряет лёд: за год он подтаял на два метра.",
      "Когда ледники растают, в долине не хватит воды."],
     ["Таяние снега на крышах опасно для прохожих.",
      "На леднике летом катаются лыжники.",
      "Шоколад тает во рту, а не в руках.",
      "Ледник — так назывался погреб со льдом для хранения мяса.",
      "После таяния мороженого его нельзя замораживать снова."]),
]  # fmt: skip
"""Queries with five pages about them and five that share a word, written before a trial."""


def main() -> None:
    """Print a row a language, then the means, then a row for each query of `KEPT_BACK`."""
    found = [rows for _, rows in measured_by_trees(__doc__, _measure)]
    print("| language | query |" + " recall | precision |" * len(found))
    print("| --- | --- |" + " --- | --- |" * len(found))
    kept = len(KEPT_BACK)
    for place, (language, query, *_) in enumerate(found[0]):
        if place == len(found[0]) - kept:
            means = [
                np.mean([row[each] for row in rows[:-kept]]) for rows in found for each in (2, 3)
            ]
            print("| mean | | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
        cells = [f"{value:.2f}" for rows in found for value in rows[place][2:]]
        print(f"| {language} | {query} | " + " | ".join(cells) + " |")


def _measure() -> list[tuple[str, str, float, float]]:
    """Return language, query, recall and precision."""
    from evocrawl.core.model import Content
    from evocrawl.relevance import create

    sys.path.insert(0, str(HOME / "tests" / "relevance"))
    from language_samples import SAMPLES

    rows = []
    asked = [(each.language, each.query, [each.relevant, *MORE.get(each.language, ())],
              each.distractors) for each in SAMPLES]  # fmt: skip
    for language, query, about, others in (*asked, *KEPT_BACK):
        pages = [*((text, True) for text in about), *((text, False) for text in others)]
        try:
            score = create("tfidf", query, language).page
        except ValueError:
            rows.append((language, query, 0.0, 0.0))
            continue
        scored = [(score(Content("", text, language)), hit) for text, hit in pages]
        relevant = sum(hit for _, hit in pages)
        found = [(value, hit) for value, hit in scored if value > 0]
        # A distractor with the score of a relevant page comes first.
        best = sorted(found, key=lambda each: (-each[0], each[1]))[:relevant]
        recall = sum(hit for _, hit in found) / relevant
        precision = sum(hit for _, hit in best) / max(len(best), 1)
        rows.append((language, query, recall, precision))
    return rows


if __name__ == "__main__":
    main()
