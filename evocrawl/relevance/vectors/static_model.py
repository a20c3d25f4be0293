"""Uses a static model of model2vec or sentence-transformers in a local folder as an embedding.

Needs ``pip install 'evocrawl[model2vec]'``. Nothing is downloaded: the model must be a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Content

if TYPE_CHECKING:
    from evocrawl.relevance.reading import Reading
    from evocrawl.relevance.vectors.embedding import Vector

LONGEST_TEXT = 20_000
"""Characters of a page that are read: the tokenizer of such a model is slow."""


class StaticModelEmbedding:
    """Turns texts into vectors by the model in `folder`, of any language it knows.

    Raises SettingError if the package model2vec is not installed, or if it cannot load the folder.
    """

    language = ""

    def __init__(self, folder: Path) -> None:
        value = f"vectors:{folder}"
        try:
            from model2vec import StaticModel
        except ImportError as error:
            allowed = "a table of ours, or a model after pip install 'evocrawl[model2vec]'"
            raise SettingError("relevance", value, allowed) from error
        try:
            self._model = StaticModel.from_pretrained(str(folder), force_download=False)
        except Exception as error:  # the library raises errors of several other libraries
            allowed = (
                "a folder with a static model, or with our terms.txt, rows.npy and about.json"
                f" ({type(error).__name__}: {error})"
            )
            raise SettingError("relevance", value, allowed) from error

    @property
    def dimensions(self) -> int:
        """The number of dimensions of each vector, d."""
        return int(self._model.dim)

    def of_text(self, text: str) -> Vector:
        """Return the vector of a text, zeros for a text without a known token. O(characters)."""
        vector = self._model.encode([text[:LONGEST_TEXT]], max_length=None)[0]
        found: Vector = np.nan_to_num(np.asarray(vector, np.float32))
        return found

    def of_page(self, content: Content, reading: Reading) -> Vector:  # noqa: ARG002
        """Return the vector of a page: of its title and the beginning of its text."""
        return self.of_text(f"{content.title}\n{content.text[:LONGEST_TEXT]}")

    def knows(self, content: Content, reading: Reading) -> bool:  # noqa: ARG002
        """Return True: the model does not list its languages."""
        return True
