"""An experiment file of a stranger is data: what leaves the machine, and which code runs, is the user's to say."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest

import termgauge as tg
from termgauge.embeddings import libraries
from tests.common.embedding_server import serving_embeddings

KEY = "sk-never-for-strangers-zyxwvuts"
PLAIN = '[[model]]\nspec = "baseline:levenshtein"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a stranger's folder; a file with a secret lies beside it."""
    for name in ("ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "id_rsa").write_text("line one of a private key\n")
    home = tmp_path / "theirs"
    home.mkdir()
    home.joinpath("pairs.tsv").write_text(
        "term1\tterm2\tscore\n" + "".join(f"heart {at}\tcor {at}\t{at % 2}\n" for at in range(30))
    )
    return home


def written(folder, models, more="", name="theirs.toml"):
    file = folder / name
    file.write_text(f'{more}[[benchmark]]\nfile = "pairs.tsv"\ncolumns = "term1,term2,score"\n{models}')
    return file


def endpoint(server, more=""):
    return f'[[model]]\nname = "e"\nspec = "openai:e?base_url={server.base_url}{more}"\n'


def host_of(server):
    return server.base_url.removeprefix("http://").removesuffix("/v1")


def keys_seen(server):
    return {headers.get("Authorization") for headers in server.headers}


def test_a_file_that_sends_nothing_needs_no_trust_wherever_its_paths_lead(run, folder, tmp_path):
    (tmp_path / "elsewhere.tsv").write_text((folder / "pairs.tsv").read_text())
    file = written(folder, PLAIN)
    file.write_text(file.read_text().replace("pairs.tsv", str(tmp_path / "elsewhere.tsv")))
    assert run("run", file, "--no-report")[0] == 0


def test_nothing_is_sent_before_somebody_agreed_and_the_flags_are_named(run, folder):
    with serving_embeddings() as server:
        file = written(folder, PLAIN + endpoint(server, "&key_variable=ANTHROPIC_API_KEY"))
        host = host_of(server)
        status, out, err = run("run", file)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        for said in (f"--allow-host {host}", "--allow-variable ANTHROPIC_API_KEY", "--trust", f"'e' to {host}"):
            assert said in err
        assert KEY not in err
        assert not server.requests
        assert not (folder / "theirs-run").exists()
        with pytest.raises(tg.TermgaugeError, match="--allow-host"):
            tg.run(file)
        assert not server.requests


def test_a_trusted_file_gives_no_key_to_a_host_that_the_user_did_not_name(run, folder):
    with serving_embeddings() as server:
        named = written(folder, endpoint(server, "&key_variable=ANTHROPIC_API_KEY"))
        assert run("trust", named)[0] == 0
        for more in ([], ["--trust"], ["--allow-variable", "ANTHROPIC_API_KEY"]):
            status, _out, err = run("run", named, *more)
            assert status == 2
            assert "not known to belong there" in err
        assert not server.requests
        assert run("run", named, "--allow-host", host_of(server), "--no-report")[0] == 0
        assert keys_seen(server) == {f"Bearer {KEY}"}


def test_the_usual_key_stays_at_home_where_a_file_names_the_address(run, folder):
    with serving_embeddings() as server:
        file = written(folder, endpoint(server))
        assert run("run", file, "--trust", "--no-report")[0] == 0
        assert server.requests
        assert keys_seen(server) == {None}
    with serving_embeddings() as server:
        file = written(folder, endpoint(server), name="again.toml")
        name = host_of(server).partition(":")[0]
        assert run("run", file, "--allow-host", name, "--no-report")[0] == 0
        assert keys_seen(server) == {f"Bearer {KEY}"}, "the user named the host"


def test_a_key_goes_to_an_address_of_the_users_own_environment(run, folder, monkeypatch):
    with serving_embeddings() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        file = written(folder, '[[model]]\nspec = "openai:e"\n')
        status, _out, err = run("run", file)
        assert status == 2
        assert f"to {host_of(server)}, with the key in OPENAI_API_KEY" in err
        assert run("run", file, "--trust", "--no-report")[0] == 0
        assert keys_seen(server) == {f"Bearer {KEY}"}


def test_trust_is_of_a_content_at_a_place(run, folder):
    with serving_embeddings() as server:
        file = written(folder, PLAIN + endpoint(server))
        assert run("run", file)[0] == 2
        status, out, _err = run("trust", file)
        assert status == 0
        assert f"to {host_of(server)}" in out
        assert run("run", file, "--no-report")[0] == 0
        asked = len(server.requests)
        file.write_text(file.read_text().replace("baseline:levenshtein", "baseline:random"))
        assert run("run", file)[0] == 2, "it was changed"
        file.write_text(file.read_text().replace("baseline:random", "baseline:levenshtein"))
        moved = folder / "moved" / "theirs.toml"
        moved.parent.mkdir()
        moved.write_text(file.read_text())
        assert run("run", moved)[0] == 2, "its paths lead elsewhere"
        assert run("trust", file, "--forget")[0] == 0
        assert run("run", file)[0] == 2
        assert len(server.requests) == asked


def test_variables_are_replaced_in_paths_alone_and_after_consent(run, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PLACE", str(tmp_path / "theirs"))
    file = written(folder, PLAIN, 'title = "${AWS_SECRET_ACCESS_KEY}"\n')
    file.write_text(file.read_text().replace('"pairs.tsv"', '"${PLACE}/pairs.tsv"'))
    status, _out, err = run("run", file)
    assert status == 2
    assert "--allow-variable PLACE" in err
    assert "AWS_SECRET_ACCESS_KEY" not in err, "what is no path is text"
    assert run("run", file, "--allow-variable", "PLACE")[0] == 0
    for made in (folder / "theirs-run").rglob("*"):
        assert not made.is_file() or KEY.encode() not in made.read_bytes()
    assert json.loads((folder / "theirs-run" / "run.json").read_text())["title"] == "${AWS_SECRET_ACCESS_KEY}"


@pytest.mark.parametrize(
    "spec",
    [
        "openai:${AWS_SECRET_ACCESS_KEY}?base_url=ADDRESS",
        "openai:m?base_url=ADDRESS&prompt=${AWS_SECRET_ACCESS_KEY}",
        "openai:m?base_url=ADDRESS/${AWS_SECRET_ACCESS_KEY}",
    ],
)
def test_no_part_of_what_is_sent_holds_a_variable(run, folder, spec):
    with serving_embeddings() as server:
        file = written(folder, f'[[model]]\nspec = "{spec.replace("ADDRESS", server.base_url)}"\n')
        run("run", file, "--trust", "--no-report", "--allow-variable", "AWS_SECRET_ACCESS_KEY")
        assert not any(KEY in json.dumps(request) for request in server.requests)


def test_a_variable_is_never_the_name_of_a_model_on_a_hub(run, folder):
    file = written(folder, '[[model]]\nspec = "transformers:${AWS_SECRET_ACCESS_KEY}/x"\n')
    status, out, _err = run("run", file, "--dry-run", "--json")
    assert status == 4
    said = json.dumps(json.loads(out)["steps"][0])
    assert "--allow-variable AWS_SECRET_ACCESS_KEY" in said
    assert "hub" not in said


def test_an_address_that_is_none_is_refused_with_its_line(run, folder):
    file = written(folder, '[[model]]\nspec = "openai:m?base_url=${AWS_SECRET_ACCESS_KEY}.example.org"\n')
    status, _out, err = run("run", file, "--trust")
    assert status == 2
    assert "theirs.toml, line 5: [[model]] number 1: The base_url '${AWS_SECRET_ACCESS_KEY}.example.org'" in err


def test_a_dry_run_lists_everything_and_sends_nothing(run, folder, tmp_path):
    with serving_embeddings() as server:
        models = endpoint(server, "&key_variable=ANTHROPIC_API_KEY") + (
            '[[model]]\nspec = "transformers:org/name?remote_code=true"\n'
        )
        asks = f'[[linking]]\nname = "x"\nqueries = "{tmp_path / "id_rsa"}"\n'
        terms = '[[terminology]]\nname = "t"\nsource = "terms.tsv"\n'
        (folder / "terms.tsv").write_text("concept\tterm\n1\theart\n1\tcor\n")
        file = written(folder, models + terms + asks)
        status, out, err = run("run", file, "--dry-run", "--json")
        assert status == 4
        first = json.loads(out)["steps"][0]
        assert first["name"] == "Permissions"
        listed = " ".join(f"{item['name']} {item['problem']}" for item in first["items"])
        for what in (host_of(server), "ANTHROPIC_API_KEY", "org/name", str(tmp_path / "id_rsa"), "--allow-remote-code"):
            assert what in listed
        assert KEY not in out + err
        assert not server.requests
        assert not (folder / "theirs-run").exists()


def test_only_a_hub_id_with_a_scheme_is_a_download(run, folder, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(folder / "hub"))
    monkeypatch.setattr(libraries, "find_spec", lambda _name: "installed")
    for spec, downloads in (("transformers:org/name", True), ("org/name", False)):
        status, out, err = run("run", written(folder, f'[[model]]\nspec = "{spec}"\n'), "--dry-run", "--json")
        assert ("downloads the model org/name from its hub" in out) == downloads
        assert ("org/name: is neither a file or folder here nor in the local" in out) != downloads
        assert (status, "Traceback" in err) == (0 if downloads else 4, False)


def test_code_of_a_model_needs_its_own_flag(run, folder):
    (folder / "checkpoint").mkdir()
    for spec in ("transformers:checkpoint?remote_code=true", "./checkpoint?remote_code=yes"):
        file = written(folder, f'[[model]]\nspec = "{spec}"\n')
        assert run("trust", file)[0] == 0
        status, _out, err = run("run", file, "--trust")
        assert status == 2
        assert err.rstrip().endswith("add --allow-remote-code to the command.")


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("answer", ["y", "n"])
def test_on_a_terminal_one_is_asked_once(folder, answer):
    with serving_embeddings() as server:
        file = written(folder, PLAIN + endpoint(server))
        first, status = _on_a_terminal(["run", str(file), "--no-report"], answer)
        assert f"sends texts for the model 'e' to {host_of(server)}" in first
        if answer == "n":
            assert status == 2
            assert not server.requests
            return
        assert status == 0
        assert server.requests
        again, status = _on_a_terminal(["run", str(file), "--no-report"], "n")
        assert (status, "trust this file" in again) == (0, False)


def _on_a_terminal(arguments, answer):
    """Run the command with a terminal of its own, answer its question, and return what it showed and its status."""
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", "from termgauge.cli import main; main()", *arguments])
    shown, answered, end = b"", False, time.monotonic() + 120
    while time.monotonic() < end:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the end of a terminal
            break
        shown += part
        if b"trust this file" in shown and not answered:
            answered = True
            os.write(terminal, f"{answer}\n".encode())
        if not part:
            break
    _child, status = os.waitpid(child, 0)
    os.close(terminal)
    return " ".join(shown.decode().split()), os.waitstatus_to_exitcode(status)


def test_init_writes_a_file_that_may_be_run_as_it_is(run, tmp_path, monkeypatch):
    monkeypatch.delenv("SNOMED_RELEASE", raising=False)
    file = tmp_path / "mine.toml"
    assert run("init", file, "--example", "snomed")[0] == 0
    status, _out, err = run("run", file)
    assert status == 2
    assert "'SNOMED_RELEASE' is not set" in err


def test_looking_at_somebodys_run_opens_none_of_its_models(run, folder, tmp_path):
    with serving_embeddings() as server:
        file = written(folder, PLAIN + endpoint(server))
        assert run("run", file, "--trust", "--no-report")[0] == 0
        server.requests.clear()
        made, board = folder / "theirs-run", tmp_path / "board.html"
        for words in (["report", made], ["compare", made], ["diff", made, made], ["leaderboard", made, "--out", board]):
            assert run(*words)[0] == 0
        assert not server.requests
