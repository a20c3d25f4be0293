"""Measures how well a query in one language finds pages in another, with a dictionary and without.

    python benchmarks/translated_pages.py HELP de=german.dictionary fr=french.dictionary…

HELP is the folder with the languages of GIMP's manual (Debian: gimp-help-en, gimp-help-de and so
on; usr/share/gimp/2.0/help), whose pages have the same names in each language. A page is of a topic
if the manual has it below the topic's section; the line of sections above the text is taken out.
Only pages count that are in the language named, since parts of each manual are not translated, and
topics with five such pages. The file of a dictionary is what `evocrawl dictionary` writes.

`alone`: the query in English, and pages in the other language. `dictionary`: the same with the
dictionary. `translated query`: the query in the language of the pages, written by hand before any
of them was scored. `English pages`: the same pages in English. `from English`: the query by hand
in the other language, pages in English, and the dictionary.
"""  # fmt: skip

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from labelled_pages import Floats, Labels, area, average_precision, calibration_error, interval
from lxml import html

from evocrawl.core.config.config import Config
from evocrawl.core.model import Content
from evocrawl.extraction.document import Document, read
from evocrawl.relevance import create

TOPICS = {
    "filters-blur.html": {
        "en": "blur", "de": "Weichzeichnen", "fr": "flou", "es": "desenfoque",
        "it": "sfocatura", "nl": "vervagen"},
    "filters-enhance.html": {
        "en": "sharpen enhance", "de": "schärfen verbessern", "fr": "renforcer améliorer",
        "es": "enfocar realzar", "it": "aumentare nitidezza", "nl": "verscherpen verbeteren"},
    "filters-distort.html": {
        "en": "distortion", "de": "Verzerrung", "fr": "distorsion", "es": "distorsión",
        "it": "distorsione", "nl": "vervorming"},
    "filters-light-and-shadow.html": {
        "en": "light and shadow", "de": "Licht und Schatten", "fr": "ombre et lumière",
        "es": "luces y sombras", "it": "luce e ombra", "nl": "licht en schaduw"},
    "filters-noise.html": {
        "en": "noise", "de": "Rauschen", "fr": "bruit", "es": "ruido", "it": "rumore",
        "nl": "ruis"},
    "filters-edge.html": {
        "en": "edge detection", "de": "Kantenerkennung", "fr": "détection de contours",
        "es": "detección de bordes", "it": "rilevamento dei bordi", "nl": "randdetectie"},
    "filters-artistic.html": {
        "en": "artistic painting effect", "de": "künstlerischer Maleffekt",
        "fr": "effet artistique de peinture", "es": "efecto artístico de pintura",
        "it": "effetto artistico pittura", "nl": "artistiek schildereffect"},
    "filters-decor.html": {
        "en": "decoration border frame", "de": "Dekoration Rand Rahmen",
        "fr": "décoration bordure cadre", "es": "decoración borde marco",
        "it": "decorazione bordo cornice", "nl": "decoratie rand lijst"},
    "filters-animation.html": {
        "en": "animation", "de": "Animation", "fr": "animation", "es": "animación",
        "it": "animazione", "nl": "animatie"},
    "gimp-tools-selection.html": {
        "en": "selection tools", "de": "Auswahlwerkzeuge", "fr": "outils de sélection",
        "es": "herramientas de selección", "it": "strumenti di selezione",
        "nl": "selectiegereedschap"},
    "gimp-tools-paint.html": {
        "en": "paint tools brush", "de": "Malwerkzeuge Pinsel", "fr": "outils de peinture pinceau",
        "es": "herramientas de pintura pincel", "it": "strumenti di disegno pennello",
        "nl": "schildergereedschap penseel"},
    "gimp-tools-transform.html": {
        "en": "transformation rotate scale", "de": "Transformation drehen skalieren",
        "fr": "transformation rotation échelle", "es": "transformación rotar escalar",
        "it": "trasformazione ruotare scalare", "nl": "transformatie draaien schalen"},
    "gimp-colors-menu.html": {
        "en": "colors", "de": "Farben", "fr": "couleurs", "es": "colores", "it": "colori",
        "nl": "kleuren"},
    "gimp-layer-menu.html": {
        "en": "layer", "de": "Ebene", "fr": "calque", "es": "capa", "it": "livello",
        "nl": "laag"},
    "gimp-select-menu.html": {
        "en": "selection", "de": "Auswahl", "fr": "sélection", "es": "selección",
        "it": "selezione", "nl": "selectie"},
    "gimp-file-menu.html": {
        "en": "file", "de": "Datei", "fr": "fichier", "es": "archivo", "it": "file",
        "nl": "bestand"},
    "gimp-view-menu.html": {
        "en": "view window", "de": "Ansicht Fenster", "fr": "affichage fenêtre",
        "es": "vista ventana", "it": "vista finestra", "nl": "weergave venster"},
    "gimp-image-menu.html": {
        "en": "image size", "de": "Bildgröße", "fr": "taille de l’image",
        "es": "tamaño de la imagen", "it": "dimensione immagine", "nl": "afbeeldingsgrootte"},
    "legal.html": {
        "en": "free license copyright", "de": "freie Lizenz Urheberrecht",
        "fr": "licence libre droit d’auteur", "es": "licencia libre derechos de autor",
        "it": "licenza libera diritto d’autore", "nl": "vrije licentie auteursrecht"},
    "gimp-using-getting-unstuck.html": {
        "en": "problem help", "de": "Hilfe bei Problemen", "fr": "aide problème",
        "es": "ayuda problema", "it": "aiuto problema", "nl": "hulp probleem"},
    "gimp-introduction-history.html": {
        "en": "history", "de": "Geschichte", "fr": "histoire", "es": "historia", "it": "storia",
        "nl": "geschiedenis"},
    "gimp-using-script-fu-tutorial.html": {
        "en": "programming script tutorial", "de": "Skript programmieren lernen",
        "fr": "tutoriel programmation script", "es": "tutorial programación guion",
        "it": "guida programmazione script", "nl": "handleiding script programmeren"},
    "key-reference.html": {
        "en": "keyboard shortcuts", "de": "Tastenkürzel", "fr": "raccourcis clavier",
        "es": "atajos de teclado", "it": "scorciatoie da tastiera", "nl": "sneltoetsen"},
    "gimp-using-paths.html": {
        "en": "path", "de": "Pfad", "fr": "chemin", "es": "ruta", "it": "tracciato", "nl": "pad"},
    "gimp-dialogs-content.html": {
        "en": "brush pattern palette dialogs", "de": "Dialoge Pinsel Muster Palette",
        "fr": "dialogues brosse motif palette", "es": "diálogos pincel patrón paleta",
        "it": "finestre pennello motivo tavolozza", "nl": "dialogen penseel patroon palet"},
}  # fmt: skip
"""Sections of the manual, and the query for each in six languages."""

LEAST = 5
MODELS = ("tfidf", "vectors", "opening", Config().relevance)
_ABOVE = re.compile(r'rel="up" href="([^"#]*)')
COLUMNS = ("AP", "AUC", "ECE", "precision at 0.5", "recall at 0.5")


def main() -> None:
    """Print a row a language, model and condition: means over topics with 95 % intervals."""
    home = Path(sys.argv[1])
    above = {path.name: (found[1] if (found := _ABOVE.search(path.read_text("utf-8"))) else "")
             for path in (home / "en").glob("*.html")}  # fmt: skip
    english = pages_of(home / "en", above)
    print("| pages | model | condition | topics | " + " | ".join(COLUMNS) + " |")
    print("| --- | --- | --- | --- |" + " --- |" * len(COLUMNS))
    for asked in sys.argv[2:]:
        language, _, place = asked.partition("=")
        measure(language, place, pages_of(home / language, above), english, above)


def measure(
    language: str,
    place: str,
    pages: Mapping[str, Content],
    english: Mapping[str, Content],
    above: Mapping[str, str],
) -> None:
    """Print the rows of one language."""
    names = [name for name, page in pages.items() if page.language == language and name in english]
    labels = {top: np.array([_is_below(name, top, above) for name in names]) for top in TOPICS}
    topics = [top for top, of in labels.items() if of.sum() >= LEAST]
    own = [pages[name] for name in names]
    theirs = [english[name] for name in names]
    conditions = [
        ("alone", "en", own, ()),
        ("dictionary", "en", own, (place,)),
        ("translated query", language, own, ()),
        ("English pages", "en", theirs, ()),
        ("from English", language, theirs, (place,)),
    ]
    for name, asked, contents, files in conditions:
        models = MODELS if asked == "en" else MODELS[-1:]
        makers = [[create(model, TOPICS[top][asked], asked, dictionaries=files)
                   for top in topics] for model in models]  # fmt: skip
        scores = np.array([[[each.page(page) for each in same] for same in makers]
                           for page in contents])  # fmt: skip
        for place_of_model, model in enumerate(models):
            rows = [row(scores[:, place_of_model, at], labels[top])
                    for at, top in enumerate(topics)]  # fmt: skip
            cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*interval([each[at] for each in rows]))
                     for at in range(len(COLUMNS))]  # fmt: skip
            print(f"| {language}, {len(names)} | `{model}` | {name} | {len(topics)} | "
                  + " | ".join(cells) + " |", flush=True)  # fmt: skip


def row(found: Floats, labels: Labels) -> list[float]:
    """Return the numbers of `COLUMNS` for one topic."""
    positive = found >= 0.5
    hits = (positive & labels).sum()
    return [
        average_precision(found, labels),
        area(found, labels),
        calibration_error(found, labels),
        hits / max(positive.sum(), 1),
        hits / labels.sum(),
    ]


def pages_of(folder: Path, names: Iterable[str]) -> dict[str, Content]:
    """Return the pages of a manual without the line of sections above and below the text."""
    found = {}
    for name in sorted(names):
        tree: Any = html.fromstring((folder / name).read_bytes())
        for each in tree.find_class("navheader") + tree.find_class("navfooter"):
            each.drop_tree()
        address = f"http://manual.test/{name}"
        page = read(Document(html.tostring(tree), address, content_type="text/html"))
        found[name] = Content(page.title, page.text, page.language)
    return found


def _is_below(name: str, section: str, above: Mapping[str, str]) -> bool:
    """Return whether a page is a section's, by the pages above it."""
    seen = set[str]()
    while name and name not in seen:
        if name == section:
            return True
        seen.add(name)
        name = above.get(name, "")
    return False


if __name__ == "__main__":
    main()
