"""Options of memory, files and the store of a crawl."""

from __future__ import annotations

from dataclasses import dataclass

from evocrawl.core.config.option import flag, one_of, option, path, path_ending, path_or_url, whole


@dataclass(frozen=True, kw_only=True)
class StorageOptions:
    """Options of memory, files and the store of a crawl."""

    store: str = option(
        "",
        path_or_url("redis://", "rediss://", "unix://"),
        "a path, or redis://HOST:PORT/DB (rediss:// for TLS, unix:///PATH), also with ?crawl=NAME",
        "SQLite file that stores the crawl, so that it continues after a stop or a crash; if "
        "empty, a file in JOBDIR if that is set, else none. Or a Redis or a Redis Cluster, for "
        "several workers",
    )
    store_bodies: bool = option(
        False,
        flag,
        "true or false",
        "whether to store the HTTP response of each page too, for Markdown, WARC and `since`; "
        "of a page opened in the browser, what that shows",
    )
    warc: str = option(
        "",
        path,
        "a path",
        "folder to which each response and its request is written as WARC while the crawl runs; "
        "none if empty. Needs the extra warc",
    )
    warc_bytes: int = option(
        1_000_000_000,
        whole(10_000),
        "a whole number from 10000",
        "size at which a WARC file ends and the next one begins, in bytes",
    )
    since: str = option(
        "",
        path_or_url("redis://", "rediss://", "unix://"),
        "a path, or redis://HOST:PORT/DB (rediss:// for TLS, unix:///PATH), also with ?crawl=NAME",
        "store of an earlier crawl with store_bodies: a page that has not changed since, by the "
        "sitemap or the feed of its site, is read from there and not requested; none if empty",
    )
    memory_links: int = option(
        5000,
        whole(1),
        "a whole number from 1",
        "most waiting links in memory, beside a quarter as many records of pages; the others are "
        "on disk. The number does not change what the crawl does",
    )
    snapshot_visits: int = option(
        20_000,
        whole(0),
        "a whole number from 0",
        "visits between two snapshots of a crawl in a file: a resume reads the latest one, and "
        "replays only the visits after it; 0: no snapshot is taken, and all visits are replayed",
    )
    journal: str = option(
        "whole",
        one_of(("whole", "compact")),
        "whole or compact",
        "whether a crawl in a file keeps the whole journal of its choices. With compact each "
        "snapshot takes the place of the journal before it, so that the file grows with what is "
        "known and not with the length of the crawl; reports and explanations then know the pages "
        "alone, there is no world file, and a crawl whose snapshot is damaged cannot continue",
    )
    learnt: str = option(
        "",
        path_ending(".npz"),
        "a path that ends in .npz",
        "file with the link model of an earlier crawl of the topic (its learn_to), to start from; "
        "none if empty",
    )
    learn_to: str = option(
        "",
        path_ending(".npz"),
        "a path that ends in .npz",
        "file to which the species' link model is written at the end, for later crawls of the "
        "topic; none if empty",
    )
    stats_file: str = option(
        "", path, "a path", "file to which the final stats are written as JSON; none if empty"
    )
    record: str = option(
        "",
        path_ending(".jsonl", ".jsonl.gz", ".jsonl.zst"),
        "a path that ends in .jsonl, .jsonl.gz or .jsonl.zst",
        "new world file to which the crawl is recorded, for replays; none if empty",
    )
