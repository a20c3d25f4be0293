"""Weights stay finite and scores stay in bounds for any examples."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evocrawl.species.evo.link_model.posterior import Posterior
from evocrawl.species.evo.link_model.word_model import WordModel

D = 4
HUGE = 1e8
FEATURES = arrays(float, D, elements=st.floats(-HUGE, HUGE))
EXAMPLES = st.lists(st.tuples(FEATURES, st.floats(0, 1), st.floats(0, 1e3)), max_size=30)


def is_finite(posterior: Posterior) -> bool:
    """Of mean, covariance and its root."""
    numbers = (posterior.mean, posterior.covariance, posterior.root())
    return all(bool(np.isfinite(each).all()) for each in numbers)


@given(EXAMPLES)
def test_huge_features_and_any_weights_leave_the_posterior_finite(
    examples: list[tuple[npt.NDArray[np.float64], float, float]],
) -> None:
    """R17: a gradient step would have reached 10¹¹."""
    posterior = Posterior(np.zeros(D), np.eye(D))
    for x, y, weight in examples:
        posterior.update(x, y, weight)
        assert is_finite(posterior)


def test_an_example_of_weight_0_changes_nothing() -> None:
    """R17: no division by it, and no step."""
    posterior = Posterior(np.ones(D), np.eye(D))
    posterior.update(np.arange(D, dtype=float), 1.0, 0.0)
    assert (posterior.mean == 1).all()
    assert (posterior.covariance == np.eye(D)).all()
    posterior.refit(np.ones((2, D)), np.ones(2), np.zeros(2))
    assert np.allclose(posterior.mean, 1)


def test_a_fit_to_no_examples_is_the_prior() -> None:
    """R17."""
    posterior = Posterior(np.ones(D), 2 * np.eye(D))
    posterior.update(np.ones(D), 0.0)
    posterior.refit(np.empty((0, D)), np.empty(0), np.empty(0))
    assert np.allclose(posterior.mean, 1, atol=0.1)
    assert np.allclose(posterior.covariance, np.eye(D) / 2)


@pytest.mark.parametrize("label", [0.0, 1.0])
@pytest.mark.parametrize("weight_of_bad", [0.0, 1e-12, 1.0])
def test_words_of_one_class_alone_keep_finite_weights(label: float, weight_of_bad: float) -> None:
    """R17: also if they are seen often."""
    model = WordModel()
    words = np.array([[1, 2, 3, 0], [2, 2, 2, 2]])
    for _ in range(2000):
        model.learn(words, np.full(2, label), weight_of_bad)
    assert np.isfinite(model.weights).all()
    assert np.abs(model.weights).max() < 20
    assert np.isfinite(model.logits(words)).all()
    assert model.weights[0] == 0
