"""Workers check certificates, rights, and foreign entries in Redis."""

from __future__ import annotations

import zlib
from pathlib import Path

import redisacl
from certificates import self_signed
from redisserver import PASSWORD
from workers import ManyHosts, Start, check_whole, options

from evocrawl.store.cluster.redis.keys import shard_of

COMMON = {"CONCURRENT_REQUESTS": 8}

BODIES = (b"\x1b[31m", zlib.compress(b'[["",{"evo":"AAAA"}],[]]'), zlib.compress(b'[["",[]],[]]'))
"""Links of other workers that are not compressed, or have a digest that cannot be read."""


def test_only_a_trusted_certificate_is_accepted(fleet_for: Start, tmp_path: Path) -> None:
    """R22: a crawl over TLS, and one with an untrusted certificate: exit code 2.

    The worker logs in as a user with the rights that the guide names.
    """
    web = ManyHosts(pages=20, hosts=5)
    fleet = fleet_for(web, self_signed(tmp_path, "redis"))
    secret = "an0ther-Secret"
    with fleet.server.client() as client:
        redisacl.add_user(client, "crawler", secret)
    url = fleet.server.url.replace(f":{PASSWORD}", f"crawler:{secret}")
    fleet.start(1, options(web, store=url), **COMMON)
    fleet.start(1, options(web, store=fleet.server.url.partition("?")[0]), **COMMON)
    assert fleet.wait() == [0, 2]
    check_whole(fleet, web)
    with fleet.server.client() as client:
        denied = {each["object"] for each in client.acl_log()}
    assert denied <= {"info", "client|setinfo", "client|maint_notifications"}
    assert "its certificate is not trusted" in fleet.log_of(1).read_text()
    assert PASSWORD not in fleet.log()
    assert secret not in fleet.log()


def test_foreign_entries_in_redis_do_no_harm(fleet_for: Start) -> None:
    """B077, B078, R18, R20: entries that cannot be read are put aside and counted; others are used.

    Another crawl under the same name is refused.
    """
    web = ManyHosts(pages=30, hosts=5)
    fleet = fleet_for(web)
    with fleet.server.client() as client:
        tag = "evocrawl:{evocrawl:%d}"
        for host, key, row in POISON:
            place = tag % shard_of(host)
            client.hset(f"{place}:open:{host}", key, row)
            client.sadd(f"{place}:todo", host)
        client.xadd("evocrawl:{evocrawl}:inbox:1", {"by": "9", "kind": "page", "host": "h1.test"})
        client.xadd("evocrawl:{evocrawl}:inbox:1", {"\x00": "\x1b[31m"})
        for body in BODIES:
            entry = {"by": "9", "kind": "link", "host": "", "body": body}
            client.xadd("evocrawl:{evocrawl}:inbox:1", entry)
        fleet.start(1, options(web), **COMMON)
        assert fleet.wait() == [0]
        check_whole(fleet, web)
        assert fleet.stats(0)["evocrawl/workers/poisoned"] == len(POISON) + len(BODIES)
        assert client.llen("evocrawl:{evocrawl}:quarantine") == len(POISON) + len(BODIES)
    assert "\x1b" not in fleet.log()
    fleet.start(1, options(web, query="sea urchins"), **COMMON)
    assert fleet.wait()[-1] == 2
    refusal = fleet.log_of(1).read_text()
    assert 'the state of another crawl: query was "coral bleaching", is "sea urchins"' in refusal
    assert "Traceback" not in refusal


POISON = [
    ("h1.test", "00" * 12, b"\x80\x04\x95 a pickle"),
    ("h1.test", "11" * 12, '{"url":"http://h1.test/\x1b[31m'),
    ("h2.test", "22" * 12, '{"url":"file:///etc/passwd"}'),
    ("h2.test", "33" * 12, '{"url":"http://h3.test/1"}'),
    ("h2.test", "not hex", '{"url":"http://h2.test/1"}'),
    ("h3.test", "44" * 12, '{"url":"http://h3.test/1","position":NaN}'),
    ("h3.test", "55" * 12, '{"url":"http://h3.test/1","payload":{"url":"http://h3.test/1",'
     '"headers":[],"callback":"__init__"}}'),
    ("unknown.test", "66" * 12, "[]"),
]  # fmt: skip
