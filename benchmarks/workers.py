"""Throughput and harvest of 1, 2 and 4 workers that share a crawl on Redis.

    python benchmarks/workers.py [--workers 1 2 4] [--pages 1000] [--hosts 300] [--delay 0.2]
                                 [--at-once 4] [--seeds 1] [--stores memory sqlite redis]

A made-up web on loopback, in a process of its own: every page takes `--delay` seconds, links lead
to other hosts, one host in five writes about the topic and links to its like. Each worker has
`--at-once` requests under way, one for a host at a time: so few that waiting takes the time, and
not the cores of the machine. A redis-server (found on the PATH) runs beside.

*Pages a second* counts from the first page to the last, so that starting is no part of it. *At
once* is the most requests that any host had under way, as the server saw it, over all workers.
*Harvest* is the share of relevant pages, by the server's own knowledge, among the first half of
the web's pages that were fetched. *CPU* is that of all workers, starting included.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SERVER = """
import asyncio, json, sys
import numpy as np
sys.path.insert(0, {root!r})
from evocrawl.simulation.proxy import LoopbackProxy, Response, not_found

pages, hosts, delay, seed = {pages}, {hosts}, {delay}, {seed}
rng = np.random.default_rng(seed)
topical = rng.permutation(hosts) < hosts // 5
host_of = rng.integers(hosts, size=pages)
good = np.flatnonzero(topical[host_of])
bad = np.flatnonzero(~topical[host_of])
links = []
for n in range(pages):
    share = 0.6 if topical[host_of[n]] else 0.1
    picks = [int(rng.choice(good if rng.random() < share else bad)) for _ in range(8)]
    links.append([(n + 1) % pages, *picks])
filler = "the river town market letter winter stone paper window garden".split()
def words(n):
    own = "coral bleaching reef heat" if topical[host_of[n]] else ""
    return own + " " + " ".join(rng2.choice(filler, 30))
rng2 = np.random.default_rng(seed + 1)
texts = [words(n) for n in range(pages)]
now, most, log = dict(), [0], []
async def site(request):
    name = request.path[1:]
    if not name.isdecimal() or int(name) >= pages:
        return not_found(request)
    n = int(name)
    now[request.host] = now.get(request.host, 0) + 1
    most[0] = max(most[0], now[request.host])
    log.append((request.at_s, n))
    await asyncio.sleep(delay)
    now[request.host] -= 1
    anchors = "".join(
        f'<p><a href="http://h{{host_of[k]}}.test/{{k}}">'
        f'{{"coral bleaching" if topical[host_of[k]] and k % 2 else "read more"}} {{k}}</a></p>'
        for k in links[n]
    )
    body = f"<html lang=en><title>{{n}}</title><p>{{texts[n]}}</p>{{anchors}}"
    return Response(200, body.encode())
with LoopbackProxy({{f"h{{h}}.test": site for h in range(hosts)}}) as proxy:
    print(proxy.url, f"http://h{{host_of[0]}}.test/0", flush=True)
    sys.stdin.readline()
    relevant = [bool(topical[host_of[n]]) for _, n in log]
    print(json.dumps([[at for at, _ in log], [n for _, n in log], relevant, most[0]]), flush=True)
"""


@dataclass(frozen=True)
class Figures:
    pages_a_second: float
    at_once: int
    repeated: int
    fetched: int
    harvest: float
    cpu_ms: float


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def redis_server(folder: str) -> tuple[subprocess.Popen[bytes], str]:
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        sys.exit("there is no redis-server on the PATH")
    port = free_port()
    line = [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
            "--appendonly", "yes"]  # fmt: skip
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    return process, f"redis://127.0.0.1:{port}/0"


def command(store: str, begin: str, at_once: int) -> list[str]:
    arguments = {
        "query": "coral bleaching", "seeds": begin, "max_pages": 0, "store": store,
        "upper_bound": 256, "agents": 64, "progress_s": 0,
    }  # fmt: skip
    settings = {
        "CONCURRENT_REQUESTS": at_once, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False,
    }  # fmt: skip
    line = [sys.executable, "-m", "scrapy", "crawl", "evospider"]
    line += [part for name in arguments for part in ("-a", f"{name}={arguments[name]}")]
    return line + [part for name in settings for part in ("-s", f"{name}={settings[name]}")]


def crawl(store: str, workers: int, asked: argparse.Namespace, seed: int) -> Figures:
    """Run one crawl to its end."""
    code = SERVER.format(
        root=str(ROOT), pages=asked.pages, hosts=asked.hosts, delay=asked.delay, seed=seed
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    assert server.stdin is not None
    proxy, begin = server.stdout.readline().split()
    environment = {**os.environ, "http_proxy": proxy}
    with tempfile.TemporaryDirectory() as folder:
        keeper, url = (None, "")
        if store == "redis":
            keeper, url = redis_server(folder)
        elif store == "sqlite":
            url = str(Path(folder) / "state.sqlite")
        crawls = [
            subprocess.Popen(command(url, begin, asked.at_once), cwd=ROOT, env=environment)
            for _ in range(workers)
        ]
        cpu_s = 0.0
        codes = []
        for each in crawls:
            _, status, usage = os.wait4(each.pid, 0)
            each.returncode = os.waitstatus_to_exitcode(status)
            codes.append(each.returncode)
            cpu_s += usage.ru_utime + usage.ru_stime
        if keeper is not None:
            keeper.send_signal(signal.SIGKILL)
            keeper.wait()
    server.stdin.write("\n")
    server.stdin.flush()
    times, numbers, relevant, most = json.loads(server.stdout.readline())
    server.wait()
    assert codes == [0] * workers, codes
    half = asked.pages // 2
    return Figures(
        (len(times) - 1) / (times[-1] - times[0]),
        most,
        len(numbers) - len(Counter(numbers)),
        len(set(numbers)),
        sum(relevant[:half]) / half,
        1000 * cpu_s / len(times),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--stores", nargs="+", default=["memory", "sqlite", "redis"])
    asked = parser.parse_args()
    print(
        "| state | workers | web | pages/s | of one worker | at once | repeated | harvest "
        "| CPU ms a page |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    alone: dict[int, float] = {}
    for seed in range(1, asked.seeds + 1):
        for store in asked.stores:
            for workers in asked.workers if store == "redis" else [1]:
                got = crawl(store, workers, asked, seed)
                if store == "redis":
                    alone.setdefault(seed, got.pages_a_second)
                ratio = got.pages_a_second / alone[seed] if seed in alone else 0.0
                print(
                    f"| {store} | {workers} | {seed} | {got.pages_a_second:.1f} | "
                    f"{f'{ratio:.2f}' if ratio else ''} | {got.at_once} | {got.repeated} | "
                    f"{got.harvest:.3f} | {got.cpu_ms:.0f} |",
                    flush=True,
                )
    if len(alone) > 1:
        print(f"one worker: {statistics.mean(alone.values()):.1f} pages/s on average")


if __name__ == "__main__":
    main()
