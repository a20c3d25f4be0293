"""Settings and arguments are read once, and wrong ones are refused by name."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest

from evocrawl.core.config.config import PREFIX, Config, options_by_name
from evocrawl.core.errors import SettingError

NAMES = sorted(options_by_name())
OUT_OF_RANGE = [
    ("seed_templates", "https://a.test/{titel}"),
    ("max_requests", -1), ("max_requests", "2.5"), ("max_requests", 1.5), ("max_requests", True),
    ("seed", -1), ("seed", 2**63), ("energy", "cubic"), ("energy", ["sigmoid"]),
    ("slope", "STEEP"), ("gain", 0), ("gain", "nan"), ("cost", -0.1), ("cost", "inf"),
    ("cost", True), ("cost", 10**400), ("refusal_cost", -1), ("latency_cost", -1), ("agents", 0),
    ("lower_bound", -1), ("upper_bound", 0), ("buffer", "perhaps"), ("buffer", 2),
    ("wander_share", 1.01), ("wander_share", -0.01), ("boldness", 2), ("contest", 0),
    ("relevant_at", 1.5), ("max_unsettled", 0), ("page_items", "sometimes"), ("seeds", [1]),
    ("robots_timeout_s", 0), ("robots_tries", 0), ("crawl_delay_cap_s", -1), ("query", 7),
    ("query", None), ("max_requests", None), ("max_requests", ""), ("max_requests", "9" * 5000),
    ("seeds", {"http://a.test/": 1}), ("seeds", b"http://a.test/"), ("seeds", ["\ud800"]),
    ("query", "a\0b"), ("query", "\udc80"), ("store", "a\0b"), ("stats_file", "\ud800"),
    ("store", "http://a.test/"), ("store", "postgres://a.test/"), ("stats_file", "s3://b/x"),
    ("record", "file:///x.jsonl"), ("learn_to", "s3://b/x.npz"),
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_option_refuses_what_it_cannot_read(name: str) -> None:
    """The message names the setting or argument as written, the value, and what is allowed."""
    bad = object()
    for key, read in [
        (name, lambda: Config.read({}, {name: bad})),
        (f"{PREFIX}{name.upper()}", lambda: Config.read({f"{PREFIX}{name.upper()}": bad})),
    ]:
        with pytest.raises(SettingError) as caught:
            read()
        assert (caught.value.name, caught.value.value) == (key, bad)
        assert caught.value.allowed == options_by_name()[name].allowed
        assert all(part in str(caught.value) for part in (key, repr(bad), caught.value.allowed))


@pytest.mark.parametrize(("name", "bad"), OUT_OF_RANGE)
def test_impossible_values_are_refused(name: str, bad: object) -> None:
    """Each raises SettingError, never an error of the conversion."""
    with pytest.raises(SettingError) as caught:
        Config.read({}, {name: bad})
    assert caught.value.name == name


@pytest.mark.parametrize("name", NAMES)
def test_every_option_explains_itself(name: str) -> None:
    """The reference page is made from these texts."""
    option = options_by_name()[name]
    assert option.allowed
    assert option.meaning


@pytest.mark.parametrize("name", NAMES)
def test_every_default_is_a_value_the_option_accepts(name: str) -> None:
    """A setting with the value of the default changes nothing."""
    config = Config.read({})
    value = getattr(config, name)
    assert getattr(Config.read({f"{PREFIX}{name.upper()}": value}), name) == value


def test_the_default_numbers_are_finite() -> None:
    """Options that depend on others have values."""
    config = Config.read({})
    for name in ("gain", "cost", "refusal_cost", "latency_cost"):
        assert math.isfinite(getattr(config, name))


@pytest.mark.parametrize(
    ("settings", "arguments", "suggestion"),
    [
        ({"EVOCRAWL_QUERRY": "x"}, {}, "did you mean EVOCRAWL_QUERY?"),
        ({"EVOCRAWL_query": "x"}, {}, "did you mean EVOCRAWL_QUERY?"),
        ({"evocrawl_max_request": 3}, {}, "did you mean EVOCRAWL_MAX_REQUESTS?"),
        ({}, {"max_requsts": 3}, "did you mean max_requests?"),
        ({}, {"max_pages": 3}, "max_requests: it counts requests, not pages"),
        ({"EVOCRAWL_MAX_PAGES": 3}, {}, "EVOCRAWL_MAX_REQUESTS: it counts requests, not pages"),
        ({}, {"QUERY": "x"}, "did you mean query?"),
        ({}, {"EVOCRAWL_QUERY": "x"}, "did you mean query?"),
        ({}, {"zzzzzz": "x"}, ", ".join(options_by_name())),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(
    settings: dict[str, Any], arguments: dict[str, Any], suggestion: str
) -> None:
    """A misspelt setting must not be ignored without a word."""
    with pytest.raises(SettingError) as caught:
        Config.read(settings, arguments)
    assert caught.value.allowed == suggestion
    assert caught.value.name in {**settings, **arguments}


def test_settings_of_other_packages_are_ignored() -> None:
    """A Scrapy project has hundreds."""
    assert Config.read({"BOT_NAME": "x", "COST": "?", 5: 5}) == Config.read({})  # type: ignore[dict-item]


def test_an_argument_takes_precedence_over_a_setting() -> None:
    """As in Scrapy."""
    config = Config.read({"EVOCRAWL_SEED": 3, "EVOCRAWL_QUERY": "a"}, {"seed": "4"})
    assert (config.seed, config.query) == (4, "a")


@pytest.mark.parametrize(
    "values",
    [
        {"lower_bound": 5, "upper_bound": 4, "agents": 4},
        {"agents": 5, "upper_bound": 4, "lower_bound": 0},
        {"buffer": False, "upper_bound": 10},
        {"buffer": False, "lower_bound": 1},
        {"back_off_s": 2, "back_off_cap_s": 1},
        {"back_off_s": 61},
        {"journal": "compact", "snapshot_visits": 0},
    ],
)
def test_contradictions_are_refused(values: dict[str, Any]) -> None:
    """The name in the message is one of those that contradict each other."""
    with pytest.raises(SettingError) as caught:
        Config.read({}, values)
    assert caught.value.name in values


@pytest.mark.parametrize("species", ["evo", "energy", "weblog"])
@pytest.mark.parametrize(
    "given", [{"upper_bound": 1}, {"agents": 1}, {"agents": 99}, {"lower_bound": 99},
              {"agents": 3, "upper_bound": 5}, {"lower_bound": 1, "upper_bound": 1}]
)  # fmt: skip
def test_default_bounds_adapt_to_bounds_that_are_given(species: str, given: dict[str, int]) -> None:
    """The defaults of a species do not contradict them; no error names a bound that is not set."""
    config = Config.read({}, {"species": species, **given})
    assert {name: getattr(config, name) for name in given} == given
    assert config.lower_bound <= config.agents <= config.upper_bound


def test_a_very_long_value_is_shortened_in_the_error() -> None:
    """The message stays readable."""
    with pytest.raises(SettingError) as caught:
        Config.read({}, {"max_requests": "x" * 100_000})
    assert len(str(caught.value)) < 500


def test_paths_may_be_those_of_pathlib_and_seeds_a_set() -> None:
    """Settings files have such values; a set has the same order in every run."""
    config = Config.read({"EVOCRAWL_STORE": Path("a") / "b", "EVOCRAWL_STATS_FILE": Path("c")})
    assert (config.store, config.stats_file) == (str(Path("a") / "b"), "c")
    assert Config.read({}, {"store": " redis://h/0"}).store == "redis://h/0"
    names = {f"http://{number}.test/" for number in range(20)}
    assert list(Config.read({"EVOCRAWL_SEEDS": names}).seeds) == sorted(names)


def test_without_the_buffer_any_number_of_agents_may_begin() -> None:
    """Algorithm 1 knows no bounds."""
    assert Config.read({}, {"buffer": False, "agents": 5000}).agents == 5000


def test_values_are_read_as_a_command_line_writes_them() -> None:
    """There, all arguments are text."""
    config = Config.read(
        {},
        {
            "seeds": "http://a.test/ http://b.test/,http://c.test/",
            "max_requests": "50",
            "buffer": "False",
            "gain": "2.5",
            "max_unsettled": "none",
            "query": "  red pandas ",
        },
    )
    assert config.seeds == ("http://a.test/", "http://b.test/", "http://c.test/")
    assert (config.max_requests, config.buffer, config.gain) == (50, False, 2.5)
    assert (config.max_unsettled, config.query) == (None, "red pandas")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", ()),
        (" , ,", ()),
        ("http://a.test/1,2 ,http://b.test/?q=3,4,", ("http://a.test/1,2", "http://b.test/?q=3,4")),
        ("http://a.test/,https://b.test/", ("http://a.test/", "https://b.test/")),
        (",http://a.test/\nhttp://b.test/", ("http://a.test/", "http://b.test/")),
        (["http://a.test/1,2"], ("http://a.test/1,2",)),
    ],
)
def test_seeds_may_contain_commas_and_be_separated_by_them(written: object, read: object) -> None:
    """A comma separates two URLs only if another URL begins after it."""
    assert Config.read({"EVOCRAWL_SEEDS": written}).seeds == read


def test_a_refusal_costs_as_much_as_a_visit_unless_it_is_set() -> None:
    """The default of the gain depends on the energy model."""
    assert Config.read({}, {"cost": 0.25}).refusal_cost == 0.25
    assert Config.read({}, {"cost": 0.25, "refusal_cost": 3}).refusal_cost == 3.0
    gains = [Config.read({}, {"energy": energy}).gain for energy in ("sigmoid", "linear")]
    assert gains[0] != gains[1]


def test_a_config_is_frozen() -> None:
    """It is read once, so it cannot change during a crawl."""
    config = Config.read({})
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.cost = 2.0  # type: ignore[misc]


@pytest.mark.parametrize("name", ["store", "learn_to", "record", "seeds", "query", "agents"])
@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_argument_is_refused_by_name(name: str, empty: str) -> None:
    """It comes from a shell variable that is not set; a setting may be empty."""
    with pytest.raises(SettingError, match=f"^{name} is '{empty}'; allowed: "):
        Config.read({}, {name: empty})
    Config.read({f"EVOCRAWL_{name.upper()}": empty.strip()}, {})


@pytest.mark.parametrize("option", ["allowed_domains", "trusted_handlers"])
@pytest.mark.parametrize(
    "written", ["a.b,c.d", "a.b c.d", " a.b ,c.d, ", ",a.b\nc.d", ["a.b", "c.d"]]
)
def test_names_are_separated_by_commas_and_spaces(option: str, written: object) -> None:
    """As Scrapy writes lists; no domain and no dotted path has a comma."""
    assert getattr(Config.read({}, {option: written}), option) == ("a.b", "c.d")
