"""Level 1: Bayesian logistic regression over few dense features, with its uncertainty.

The posterior over weights θ is a normal distribution (mean, covariance S) by Laplace's method. One
example (x, y) of weight w changes it by one Newton step, in O(d²)
(Spiegelhalter & Lauritzen 1990, Networks 20; the online form of Chapelle & Li 2011, NIPS)::

    p = σ(x·θ)    h = w · max(p(1 − p), 0.05)
    S ← S − h (Sx)(Sx)ᵀ / (1 + h xᵀSx)          (Sherman & Morrison 1950)
    θ ← θ + w (y − p) S x

`refit` starts from the prior again and takes Newton steps over all examples kept.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

_TWO = np.array(2.0)
_LEAST_CURVATURE = 0.05
_STEPS = 3
_LONGEST_LOGIT = 20.0
_BLOCK = 128
"""Examples in one matrix product.

For greater ones OpenBLAS starts threads, whose waiting costs more processor time than the product.
"""


class Posterior:
    """`mean`, shape (d,), and `covariance`, shape (d, d), of the weights; initially the prior.

    `precision` is that of the prior, symmetric and positive definite.
    """

    of_run = ("_least",)
    """Attributes that are no part of a snapshot."""

    def __init__(self, mean: Vector, precision: Matrix) -> None:
        self._prior = mean.copy()
        self._precision = precision.copy()
        self.mean = mean.copy()
        self.covariance = _inverse(precision)
        self._least = 1e-9 * np.eye(len(mean))

    def update(self, x: Vector, y: float, weight: float = 1.0) -> None:
        """Learn from one example: finite features, y in [0, 1], weight > 0. O(d²)."""
        p = _sigmoid(float(x @ self.mean))
        h = weight * max(p * (1 - p), _LEAST_CURVATURE)
        sx = self.covariance @ x
        self.covariance -= np.outer(sx, sx) * (h / (1 + h * float(x @ sx)))
        self.mean += (weight * (y - p)) * (self.covariance @ x)

    def refit(self, xs: Matrix, ys: Vector, weights: Vector) -> None:
        """Fit again to all examples, beginning at the present mean. O(n · d² + d³)."""
        mean = self.mean
        for _ in range(_STEPS):
            precision = self._precision.copy()
            gradient = self._precision @ (self._prior - mean)
            for start in range(0, len(xs), _BLOCK):
                block = slice(start, start + _BLOCK)
                x, weight = xs[block], weights[block]
                p = _sigmoids(x @ mean)
                precision += (x * (weight * (p * (1 - p) + 1e-3))[:, None]).T @ x
                gradient += x.T @ (weight * (ys[block] - p))
            step = np.linalg.solve(precision, gradient)
            # A step over separable data may overshoot: no weight moves by more than 1 at once.
            mean = mean + np.clip(step, -1, 1)
        self.mean = mean
        self.covariance = _inverse(precision)

    def learnt(self) -> tuple[Matrix, Vector]:
        """Return what the examples have added to the prior: precision, and precision · mean.

        Shapes (d, d) and (d,). Such pairs add up over posteriors with one prior. O(d³).
        """
        precision = _inverse(self.covariance)
        weighted = precision @ self.mean - self._precision @ self._prior
        return precision - self._precision, weighted

    def absorb(self, precision: Matrix, weighted: Vector) -> None:
        """Add what the examples of others have added, as `learnt` returns it, to the prior. O(d³).

        Negative changes take it back.
        """
        now = _inverse(self.covariance)
        total = now @ self.mean + weighted
        prior = self._precision @ self._prior + weighted
        self._precision = self._precision + precision
        self._prior = np.asarray(np.linalg.solve(self._precision, prior), float)
        self.covariance = _inverse(now + precision)
        self.mean = self.covariance @ total

    def root(self) -> Matrix:
        """Return L with L Lᵀ = S, lower triangular: mean + L z is a draw for standard normal z."""
        symmetric = (self.covariance + self.covariance.T) / _TWO + self._least
        try:
            root = np.linalg.cholesky(symmetric)
        except np.linalg.LinAlgError:
            # Rounding has made the covariance indefinite: keep the variances only.
            root = np.diag(np.sqrt(np.maximum(np.diag(symmetric), 1e-9)))
        return np.asarray(root, float)


def _inverse(precision: Matrix) -> Matrix:
    inverse = np.linalg.inv(precision)
    symmetric: Matrix = (inverse + inverse.T) / 2
    return symmetric


def _sigmoid(logit: float) -> float:
    # Numpy's exponential, so that one example gets the same probability as among many.
    return float(1 / (1 + np.exp(-max(-_LONGEST_LOGIT, min(_LONGEST_LOGIT, logit)))))


def _sigmoids(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.minimum(np.maximum(logits, -_LONGEST_LOGIT), _LONGEST_LOGIT)))
