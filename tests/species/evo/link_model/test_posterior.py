"""The posterior over weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evocrawl.species.evo.link_model.posterior import Posterior


def fresh(d: int = 3) -> Posterior:
    """Return a wide prior around zero."""
    return Posterior(np.zeros(d), np.eye(d))


def test_a_feature_of_good_examples_gains_weight_and_certainty() -> None:
    """The other features keep those of the prior."""
    posterior = fresh()
    for _ in range(30):
        posterior.update(np.array([1.0, 0.0, 0.0]), 1.0)
        posterior.update(np.array([0.0, 1.0, 0.0]), 0.0)
    assert posterior.mean[0] > 1 > -1 > posterior.mean[1]
    assert posterior.mean[2] == 0
    assert posterior.covariance[0, 0] < 0.5 < posterior.covariance[2, 2] == pytest.approx(1.0)


def test_online_steps_come_near_to_the_fit(rng: np.random.Generator) -> None:
    """B037: the online steps are an approximation of the fit."""
    xs = rng.standard_normal((300, 3))
    ys = (xs @ np.array([1.5, -1.0, 0.0]) > rng.logistic(size=300)).astype(float)
    online, whole = fresh(), fresh()
    for x, y in zip(xs, ys, strict=True):
        online.update(x, float(y))
    for _ in range(3):
        whole.refit(xs, ys, np.ones(300))
    assert np.abs(online.mean - whole.mean).max() < 0.3


def test_draws_have_the_spread_of_the_covariance(rng: np.random.Generator) -> None:
    """mean + L z."""
    posterior = fresh()
    for _ in range(20):
        posterior.update(rng.standard_normal(3), 0.5)
    root = posterior.root()
    assert np.allclose(root @ root.T, posterior.covariance, atol=1e-6)


@given(st.lists(st.tuples(st.integers(-1, 1), st.booleans()), max_size=60), st.booleans())
def test_examples_of_one_class_leave_everything_finite(
    examples: list[tuple[int, bool]], one_class: bool
) -> None:
    """B036: also if they are linearly separable."""
    posterior = fresh(2)
    xs = np.array([[1.0, value] for value, _ in examples]).reshape(-1, 2)
    ys = np.array([float(one_class or label) for _, label in examples])
    for x, y in zip(xs, ys, strict=True):
        posterior.update(x, float(y))
    posterior.refit(xs, ys, np.ones(len(ys)))
    assert np.isfinite(posterior.mean).all()
    assert np.linalg.eigvalsh(posterior.covariance).min() > 0
    assert np.isfinite(posterior.root()).all()


@pytest.mark.parametrize("count", [1, 127, 128, 129, 700])
def test_a_refit_finds_the_weights_of_the_greatest_posterior_density(
    count: int, rng: np.random.Generator
) -> None:
    """The gradient is zero there, for one block of examples and for several."""
    xs, ys, weights = rng.standard_normal((count, 3)), rng.random(count), rng.random(count)
    posterior = Posterior(np.array([0.5, 0.0, -0.5]), 2 * np.eye(3))
    for _ in range(8):
        posterior.refit(xs, ys, weights)
    p = 1 / (1 + np.exp(-xs @ posterior.mean))
    slope = xs.T @ (weights * (ys - p)) - 2 * (posterior.mean - np.array([0.5, 0.0, -0.5]))
    assert np.abs(slope).max() < 1e-3 * count
