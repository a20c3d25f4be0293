"""Hebrew words without particles and endings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.core.model import Content
from evocrawl.relevance import create
from evocrawl.relevance.hebrew import HebrewStemmer


@pytest.mark.parametrize(
    "forms",
    [
        "אלמוג אלמוגים האלמוגים ובאלמוגים אלמוגי",
        "אקלים האקלים לאקלים והאקלים",
        "שינוי השינוי שינויים השינויים שינויי",
        "אנרגיה האנרגיה באנרגיה ואנרגיה",
        "ספר הספר בספר ספרים והספרים",
        "מדינה מדינות במדינות המדינה מדינת",
        "ישראל בישראל לישראל מישראל הישראלי ישראליים",
        "אוניברסיטה האוניברסיטה אוניברסיטאות באוניברסיטה",
        "מלך המלך מלכים המלכים",
        "בית הבית בבית שבבית",
    ],
    ids=lambda forms: forms.split()[0],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    """With the article, with particles, in the plural, before another noun."""
    assert len(set(map(HebrewStemmer().stem, forms.split()))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("מלך", "לך"), ("כלב", "לב"), ("מכתב", "כתב"), ("משפחה", "פחות"), ("שמש", "מש"),
     ("לשון", "שון"), ("ביטוח", "יטוח"), ("מזרח", "זרח"), ("ורד", "רד"), ("בריאות", "ריאות")],
)  # fmt: skip
def test_a_word_that_begins_like_a_particle_stays_whole(one: str, other: str) -> None:
    """ "King" (melekh) is not split into "from" and "you"."""
    stem = HebrewStemmer().stem
    assert stem(one) != stem(other)


def test_a_rare_word_of_the_query_is_found_after_particles() -> None:
    """The word list has neither it nor its other forms."""
    model = create("tfidf", "ביומימטיקה", "he", calibrated=False)
    assert model.page(Content("", "המרצה דיברה על ביומימטיקה", "he")) > 0
    assert model.page(Content("", "הרצאה על עקרונות שבביומימטיקה", "he")) > 0
    assert model.page(Content("", "הרצאה על עקרונות הפיזיקה", "he")) == 0


@given(st.text("אבהוילכמשתםןx", min_size=1, max_size=30))
def test_every_word_has_a_stem(word: str) -> None:
    """It is no longer than the word, and never empty."""
    stem = HebrewStemmer().stem(word)
    assert 1 <= len(stem) <= len(word)


@pytest.mark.parametrize(
    ("query", "relevant", "distractor"),
    [
        ("אנרגיית רוח", "טורבינות מפיקות אנרגיה מהרוח; האנרגיה של הרוח זולה.",
         "מצב הרוח של התלמידים השתפר אחרי החופשה."),
        ("שינויי אקלים", "השינוי באקלים גורם לבצורות, והאקלים מתחמם בכל העולם.",
         "הנהלת החברה הודיעה על שינויים במבנה המחלקות."),
        ("זיהום אוויר", "הזיהום שבאוויר העיר עלה, ומזיק לנשימה.",
         "מזג האוויר יהיה נאה בסוף השבוע."),
        ("למידת מכונה", "המכונות לומדות מדוגמאות: למידה כזו של מכונה נפוצה.",
         "מכונת הכביסה התקולה נשלחה לתיקון."),
        ("ציפורים נודדות", "הציפורים הנודדות עוברות בעמק בסתיו; ציפור נודדת עפה רחוק.",
         "עם נודד במדבר מגדל עזים וגמלים."),
    ],
    ids=["wind", "climate", "air", "learning", "birds"],
)  # fmt: skip
def test_a_page_with_other_forms_of_the_words_comes_before_a_distractor(
    query: str, relevant: str, distractor: str
) -> None:
    """The distractor has one of the words and another topic."""
    model = create("tfidf", query, "he", calibrated=False)
    assert model.page(Content("", relevant, "he")) > model.page(Content("", distractor, "he"))
