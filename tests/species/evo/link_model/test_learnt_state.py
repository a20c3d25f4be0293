"""A crawl begins with the learnt state of an earlier one."""

from pathlib import Path

import numpy as np
import pytest

from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError
from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.terms import Analyser
from evocrawl.simulation.runner import run
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior
from evocrawl.species.evo.link_model.persistence import (
    digest,
    from_state,
    load,
    query_of,
    save,
    to_state,
)


def fresh() -> LinkModel:
    """Return a model without examples."""
    return LinkModel(
        lambda anchor, context: 0.5 * ("coral" in anchor + context),
        Analyser("en"),
        0.2,
        prior.shipped(),
    )


def link(name: str, anchor: str = "") -> Link:
    """Return a link to a page of one host."""
    url = f"http://a.test/{name}"
    return Link(url, fingerprint(url), anchor)


def page(name: str, relevance: float, *links: Link, text: str = "") -> Page:
    """Return a page of one host."""
    url = f"http://a.test/{name}"
    return Page(url, fingerprint(url), relevance, 0.0, links, content=Content("", text))


def worth(model: LinkModel, row: int) -> float:
    """Return the score of a target."""
    return float(model.scores(model.features(np.array([row])))[0])


@pytest.fixture(scope="module")
def experienced() -> LinkModel:
    """Return a model for which "gem" leads to good pages about polyps, "dross" to others."""
    model = fresh()
    links = [link(f"{kind}{n}", kind) for n in range(20) for kind in ("gem", "dross")]
    rows = model.observe_page(page("seed", 0.1, *links, text="index"), None)
    for each in links:
        is_gem = each.anchor == "gem"
        text = "polyp symbiosis bleaching" if is_gem else "ledger invoice payment"
        found = page(each.url[14:], 0.5 if is_gem else 0.0, text=text)
        model.observe_page(found, rows[each.fingerprint])
    assert model.profile.label_share > 0
    return model


def test_the_next_crawl_knows_the_words_that_led_to_good_pages(
    experienced: LinkModel, tmp_path: Path
) -> None:
    """From its first page on; a new model does not know them."""
    path = tmp_path / "coral.npz"
    save(experienced, path)
    heir, naive = fresh(), fresh()
    load(heir, path)
    gains = []
    for model in (heir, naive):
        rows = model.observe_page(page("other", 0.1, link("n", "gem"), link("m", "dross")), None)
        gem, dross = (worth(model, rows[link(name).fingerprint]) for name in "nm")
        gains.append(gem - dross)
    assert gains[0] > 0.3
    assert abs(gains[1]) < 0.1


def test_the_file_names_the_query_of_its_crawl(experienced: LinkModel, tmp_path: Path) -> None:
    """Any text, also none."""
    for query in ("", "coral bleaching\n\x1b[2J", "коралл"):
        save(experienced, tmp_path / "x.npz", query)
        load(fresh(), tmp_path / "x.npz")
        assert query_of(tmp_path / "x.npz") == query


def test_the_inherited_profile_is_replaced_by_the_crawl_s_own(experienced: LinkModel) -> None:
    """A page about polyps matches it at once; ten other good pages have more weight."""
    heir = fresh()
    from_state(heir, to_state(experienced))
    ids, values = heir._reader.page(Content("", "polyp symbiosis bleaching"))
    assert heir.profile.likeness(ids, values) > 0.5
    assert fresh().profile.likeness(ids, values) == 0.0
    for n in range(80):
        relevance, text = (0.5, "algae") if n % 3 == 0 else (0.0, "tax")
        heir.observe_page(page(f"own{n}", relevance, text=text), None)
    heir.refit()
    assert heir.profile.likeness(*heir._reader.page(Content("", "algae"))) > 0.5
    assert heir.profile.likeness(ids, values) < 0.2


def test_inherited_weights_have_less_certainty(experienced: LinkModel) -> None:
    """The weights of another crawl are only estimates here."""
    heir = fresh()
    from_state(heir, to_state(experienced))
    assert np.allclose(heir.posterior.mean, experienced.posterior.mean)
    variances = np.diag(heir.posterior.covariance) / np.diag(experienced.posterior.covariance)
    assert (variances > 1.5).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("version", np.array(99)),
        ("features", np.array(("a", "b"))),
        ("mean", np.full(len(FEATURES), np.nan)),
        ("mean", np.zeros(3)),
        ("covariance", np.zeros((2, 2))),
        ("words", np.array([1.5])),
        ("weights", np.zeros(7)),
        ("squares", None),
        ("reference", np.array(0.0)),
        ("profile_scale", np.array(-1.0)),
        ("query", np.array(3)),
        ("query", np.array(["coral", "reef"])),
    ],
)
def test_a_state_that_does_not_fit_is_refused(
    experienced: LinkModel, name: str, value: np.ndarray | None
) -> None:
    """R17, B042: of another version, shape or kind, or with a number that is not finite."""
    good = to_state(experienced)
    changed = {key: each for key, each in good.items() if key != name}
    if value is not None:
        changed[name] = value
    with pytest.raises(ValueError, match=r"version 99.* reads|parts and|finite|words|below|text"):
        from_state(fresh(), changed)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", b"no archive", None])
def test_a_file_of_another_format_is_named(tmp_path: Path, content: bytes | None) -> None:
    """Empty, incomplete, foreign or missing: the setting and the path are in the message."""
    path = tmp_path / "x.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingError, match=r"learnt.*x\.npz"):
        load(fresh(), path)


def test_objects_in_a_file_are_not_unpickled(tmp_path: Path) -> None:
    """R20: numpy would execute a pickled array."""
    path = tmp_path / "x.npz"
    state = {**to_state(fresh()), "mean": np.array([{"an": "object"}], dtype=object)}
    np.savez(path, **state)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="learnt"):
        load(fresh(), path)


def test_a_small_file_of_huge_arrays_is_refused(tmp_path: Path) -> None:
    """R14: zeros compress a thousandfold."""
    path = tmp_path / "x.npz"
    np.savez_compressed(path, **{**to_state(fresh()), "mean": np.zeros(1 << 22)})
    with pytest.raises(SettingError, match="too large"):
        load(fresh(), path)


def test_a_simulated_crawl_writes_what_the_next_one_reads(tmp_path: Path) -> None:
    """By the two options; it changes the choices of the next crawl."""
    path = tmp_path / "learnt.npz"
    world = open_world("sites:sites=20,seed=3")
    seeds = [world.documents().__iter__().__next__().url]
    options = {"query": "semantic", "max_requests": 60}
    first = run(world, Config.read({}, {**options, "learn_to": str(path)}), seeds)
    second = run(world, Config.read({}, {**options, "learnt": str(path)}), seeds)
    assert first.requests == second.requests == 60
    assert [each.url for each in first.steps] != [each.url for each in second.steps]


@pytest.mark.parametrize("name", ["learnt", "learn_to"])
def test_a_species_without_link_model_refuses_a_learnt_file(tmp_path: Path, name: str) -> None:
    """The file is not ignored."""
    config = Config.read({}, {"query": "x", "species": "best_first", name: str(tmp_path / "x.npz")})
    with pytest.raises(SettingError, match=name):
        run(open_world("sites:sites=5,seed=3"), config, ["http://a.test/"])


def test_files_with_different_contents_have_different_digests(tmp_path: Path) -> None:
    """A stored crawl continues with the same learnt state only."""
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    assert digest(one) != digest(two)
    assert digest("") == ""
