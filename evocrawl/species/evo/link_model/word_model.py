"""Level 0: an online logistic model over the hashed words of links.

::

    p(words) = σ(b + Σ v(word))        a link of these words leads to a good page

It learns by stochastic gradient descent with AdaGrad's rates (Duchi, Hazan & Singer 2011, JMLR 12):
the weight of a frequent word changes little, that of a new word much. Labels lie in [0, 1].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evocrawl.species.evo.link_model.hashing import BUCKETS, Ids

_RATE = 0.125
_BIAS_RATE = 0.02
_LONGEST_LOGIT = 20.0


class WordModel:
    """Weights of BUCKETS words; an untrained model gives every link its bias."""

    def __init__(self, bias: float = -1.5) -> None:
        self.weights = np.zeros(BUCKETS, np.float32)
        self.squares = np.full(BUCKETS, 1e-2, np.float32)
        self.bias = bias

    def logits(self, words: Ids) -> npt.NDArray[np.float32]:
        """Return b + Σ v of links' words, shape (n, WIDTH) to (n,). O(n · WIDTH)."""
        # Bucket 0 is no word: its weight stays 0.
        total: npt.NDArray[np.float32] = self.weights.take(words).sum(-1) + np.float32(self.bias)
        return total

    def learn(self, words: Ids, labels: npt.NDArray[np.float64], weight_of_bad: float) -> None:
        """Take one step for links' words, shape (n, WIDTH), with labels in [0, 1], shape (n,).

        A label y weighs y + (1 − y) · `weight_of_bad`, so that the few good links have an effect.
        """
        logits = np.minimum(np.maximum(self.logits(words), -_LONGEST_LOGIT), _LONGEST_LOGIT)
        errors = 1 / (1 + np.exp(-logits)) - labels
        slopes = errors * (labels + (1 - labels) * weight_of_bad)
        flat = words.ravel()
        spread = np.repeat(slopes, words.shape[1])
        np.add.at(self.squares, flat, (spread * spread).astype(np.float32))
        steps = _RATE * spread / np.sqrt(self.squares[flat])
        np.subtract.at(self.weights, flat, steps.astype(np.float32))
        self.weights[0] = 0.0
        self.bias -= float(_BIAS_RATE * slopes.sum())
