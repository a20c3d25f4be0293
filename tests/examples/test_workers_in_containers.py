"""The files of examples/workers are valid by their schemas, and start what they name."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from ports import free_port
from redisserver import await_value

from evocrawl.adapter import settings as project
from evocrawl.core.config.config import Config
from evocrawl.store.cluster.redis.keys import RedisAddress

FOLDER = Path(__file__).parents[2] / "examples" / "workers"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
OBJECTS: dict[str, Any] = {
    each["kind"]: each for each in yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())
}


def pod(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = OBJECTS[kind]["spec"]["template"]["spec"]
    return found


def test_kubernetes_knows_each_field() -> None:
    """By the schemas of Kubernetes; a field that it does not know is an error."""
    validator = pytest.importorskip("kubernetes_validate")
    for each in OBJECTS.values():
        validator.validate(each, "1.31", strict=True)


def test_compose_knows_each_field() -> None:
    """By the Compose specification."""
    compose = pytest.importorskip("compose_spec").PyCompose
    compose.from_yaml((FOLDER / "compose.yaml").read_text()).validate()


def test_every_name_that_is_used_is_defined() -> None:
    """Secrets, volumes, networks and services."""
    for service in COMPOSE["services"].values():
        for kind in ("secrets", "networks"):
            assert set(service[kind]) <= set(COMPOSE[kind])
        assert set(service.get("depends_on", ())) <= set(COMPOSE["services"])
        volumes = {each.partition(":")[0] for each in service.get("volumes", ())}
        assert volumes <= set(COMPOSE["volumes"])
    claims = OBJECTS["StatefulSet"]["spec"]["volumeClaimTemplates"]
    claimed = {each["metadata"]["name"] for each in claims}
    for kind, more in (("StatefulSet", claimed), ("Job", set())):
        [container] = pod(kind)["containers"]
        mounted = {each["name"] for each in container["volumeMounts"]}
        assert mounted == {each["name"] for each in pod(kind)["volumes"]} | more
    redis_is, worker_is = (
        OBJECTS[each]["spec"]["template"]["metadata"]["labels"] for each in ("StatefulSet", "Job")
    )
    policy = OBJECTS["NetworkPolicy"]["spec"]
    assert redis_is == OBJECTS["Service"]["spec"]["selector"]
    assert redis_is == policy["podSelector"]["matchLabels"]
    assert worker_is == policy["ingress"][0]["from"][0]["podSelector"]["matchLabels"]


def test_the_workers_get_options_that_a_crawl_takes(tmp_path: Path) -> None:
    """Options of evocrawl, and the address of the Redis beside them; no text has the password."""
    [container] = pod("Job")["containers"]
    worker = COMPOSE["services"]["worker"]
    for arguments, store, secret in (
        (worker["command"], worker["environment"]["EVOCRAWL_STORE"], "/run/secrets/redis"),
        (container["args"], container["env"][0]["value"], "/run/secrets/redis/password"),
    ):
        given = dict(each.split("=", 1) for each in arguments[1::2])
        assert set(arguments[::2]) == {"-a"}
        config = Config.read({"EVOCRAWL_STORE": store}, given)
        assert config.query == "coral bleaching"
        password = tmp_path / "password"
        password.write_text("s3cret\n")
        place = RedisAddress.of(config.store.replace(secret, str(password)))
        assert place.urls == ["redis://:s3cret@redis:6379/0"]
        assert place.name == "coral"


def test_a_worker_has_time_to_end_its_requests() -> None:
    """The grace period is longer than a request may take."""
    grace_s = int(COMPOSE["services"]["worker"]["stop_grace_period"].removesuffix("s"))
    for each_s in (grace_s, pod("Job")["terminationGracePeriodSeconds"]):
        assert each_s > project.DOWNLOAD_TIMEOUT


def commands() -> list[tuple[str, str, str]]:
    """Return the scripts that start Redis and that look for it, with the name of their secret."""
    service = COMPOSE["services"]["redis"]
    starts, looks = service["command"][2], service["healthcheck"]["test"][1]
    [container] = pod("StatefulSet")["containers"]
    probe = container["readinessProbe"]["exec"]["command"]
    return [
        (starts.replace("$$", "$"), looks.replace("$$", "$"), "/run/secrets/redis"),
        (container["command"][2], probe[2], "/run/secrets/redis/password"),
    ]


@pytest.mark.skipif(not shutil.which("redis-cli"), reason="needs redis-server and redis-cli")
@pytest.mark.parametrize(("starts", "looks", "secret"), commands(), ids=["compose", "kubernetes"])
def test_redis_starts_and_stops(tmp_path: Path, starts: str, looks: str, secret: str) -> None:
    """With the password and an append-only file; SIGTERM stops it; the health check works."""
    port, password = free_port(), tmp_path / "password"
    password.write_text("s3cret\n")
    places = f"port {port}\nbind 127.0.0.1\ndir {tmp_path}\nlogfile log\nappendonly yes"
    script = starts.replace(secret, str(password)).replace("appendonly yes", places)
    server = subprocess.Popen(["sh", "-c", script])
    try:
        look = looks.replace(secret, str(password)).replace("redis-cli", f"redis-cli -p {port}")
        await_value(lambda: subprocess.run(["sh", "-c", look], check=False).returncode == 0 or None)
        with redis.Redis(port=port, password="s3cret") as client:
            assert client.config_get("appendonly", "maxmemory-policy") == {
                "appendonly": "yes",
                "maxmemory-policy": "noeviction",
            }
        with redis.Redis(port=port) as client, pytest.raises(redis.AuthenticationError):
            client.ping()
        assert "s3cret" not in Path(f"/proc/{server.pid}/cmdline").read_text()
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.wait()
