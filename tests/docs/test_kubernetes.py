"""docs/clusters/kubernetes.yaml: its objects belong together, and its containers run here as processes."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
import yaml

from tests.docs.machines import (
    FILES,
    SCORED,
    background,
    environment,
    finished,
    free_port,
    listens,
    same_results,
    wait_until,
    workers_of,
)
from tests.engine.small_experiment import write_experiment

GIB = 1 << 30


@pytest.fixture
def objects():
    text = (FILES / "kubernetes.yaml").read_text(encoding="utf-8")
    return {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(text)}


def pod(each):
    return each["spec"]["template"]


def container(each):
    (only,) = pod(each)["spec"]["containers"]
    return only


def limit(each):
    amount = container(each)["resources"]["limits"]["memory"]
    assert amount.endswith("Gi")
    return int(amount.removesuffix("Gi")) * GIB


def words(each, names):
    """Return the command of a container and its variables, with what Kubernetes and this machine put in."""
    variables = {}
    for entry in container(each).get("env", []):
        if "valueFrom" in entry:
            assert entry["valueFrom"] == {"resourceFieldRef": {"resource": "limits.memory"}}
        variables[entry["name"]] = entry.get("value") or str(limit(each))
    names = {**names, **{f"$({name})": value for name, value in variables.items()}}

    def put_in(text):
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    whole = [*container(each)["command"], *container(each)["args"]]
    assert all(isinstance(word, str) for word in whole), "Kubernetes takes texts alone"
    return [put_in(word) for word in whole], {name: put_in(value) for name, value in variables.items()}


def test_what_belongs_together_is_named_alike(objects):
    service = objects["Service", "termgauge-scheduler"]["spec"]
    scheduler = objects["Deployment", "termgauge-scheduler"]
    assert service["type"] == "ClusterIP"
    assert service["selector"] == pod(scheduler)["metadata"]["labels"]
    offered = {port["containerPort"] for port in container(scheduler)["ports"]}
    assert {port["port"] for port in service["ports"]} == offered
    for (kind, _name), each in objects.items():
        if kind == "Deployment":
            assert each["spec"]["selector"]["matchLabels"] == pod(each)["metadata"]["labels"]
        if kind in ("Deployment", "Job"):
            assert pod(each)["metadata"]["labels"]["app"] == "termgauge"
            mounted = {mount["name"] for mount in container(each).get("volumeMounts", [])}
            assert mounted == {volume["name"] for volume in pod(each)["spec"].get("volumes", [])}
            assert "tcp://termgauge-scheduler:8786" in container(each)["args"] or each is scheduler
    (policy,) = [each for (kind, _), each in objects.items() if kind == "NetworkPolicy"]
    assert policy["spec"]["podSelector"] == {"matchLabels": {"app": "termgauge"}}
    images = {container(each)["image"] for (kind, _), each in objects.items() if kind in ("Deployment", "Job")}
    assert len(images) == 1


def test_workers_may_use_what_their_container_may(objects):
    line, variables = words(objects["Deployment", "termgauge-worker"], {})
    assert line[line.index("--memory-limit") + 1] == str(8 * GIB)
    assert line[line.index("--nthreads") + 1] == variables["NUMBA_NUM_THREADS"] == "1"


def test_its_containers_run_an_experiment(tmp_path, objects, run_alone):
    port = free_port()
    common = {"termgauge-scheduler": "127.0.0.1", "8786": str(port), ":8787": ":0"}
    data = tmp_path / "data"
    write_experiment(data, SCORED)
    with ExitStack() as stack:
        line, variables = words(objects["Deployment", "termgauge-scheduler"], common)
        env = environment(tmp_path / "scheduler", **variables)
        stack.enter_context(background(line, env, tmp_path / "scheduler"))
        wait_until(lambda: listens(port), "the scheduler")
        for at in range(2):
            place = tmp_path / f"worker-{at}"
            line, variables = words(objects["Deployment", "termgauge-worker"], {**common, "/cache": str(place)})
            stack.enter_context(background(line, environment(place, **variables), place))
        line, variables = words(objects["Job", "termgauge-run"], {**common, "/data": str(data)})
        finished(line, environment(data / "cache", **variables), data)
    same_results(data / "run", run_alone)
    assert workers_of(data / "run")
