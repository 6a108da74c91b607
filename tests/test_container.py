"""The Dockerfile: a base image of one version, nobody's root, a volume for studies, and no secret."""

from __future__ import annotations

import json
import re

from tests.conftest import REPOSITORY

SECRET = re.compile(r"password|passwd|secret|token|api.?key|credential", re.IGNORECASE)


def instructions():
    """Return each instruction of the Dockerfile with what follows it."""
    text = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name.upper(), " ".join(rest.split())) for name, _space, rest in (line.partition(" ") for line in lines)]


def of(name):
    return [rest for each, rest in instructions() if each == name]


def test_the_base_image_is_of_one_version():
    (image,) = of("FROM")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", image)


def test_it_runs_as_nobody_special_and_keeps_studies_in_a_volume():
    names = [name for name, _rest in instructions()]
    (user,), (volume,) = of("USER"), of("VOLUME")
    assert user.isdecimal()
    assert int(user) >= 1000
    assert f"useradd --uid {user} " in of("RUN")[-1]
    assert f"--owner study --mode 700 {volume}" in of("RUN")[-1]
    assert of("WORKDIR") == [volume]
    assert "RUN" not in names[names.index("USER") :], "whatever is done as root is done before"


def test_it_holds_no_secret_and_takes_only_what_it_names():
    assert not of("ADD") + of("ARG") + of("ENV")
    assert not any(SECRET.search(f"{name} {rest}") for name, rest in instructions())
    (copied,) = of("COPY")
    lines = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").split()
    assert lines[0] == "*"
    assert {each.removeprefix("!") for each in lines[1:]} == set(copied.split()[:-1])
    for name in copied.split()[:-1]:
        assert name.startswith("dist/") or (REPOSITORY / name).is_file()


def test_the_command_exists_and_serves_the_port(run):
    words = json.loads(of("CMD")[0])
    assert json.loads(of("ENTRYPOINT")[0]) == ["termgauge"]
    status, out, _err = run(*words[:2], "--help")
    assert status == 0
    for flag in (each for each in words if each.startswith("--")):
        assert flag in out
    assert of("EXPOSE") == ["8000"]
    assert "8000" in out
