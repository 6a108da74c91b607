"""The commands about whole experiments."""

from __future__ import annotations

import json

from tests.common.embedding_server import serving_embeddings
from tests.engine.small_experiment import add_drugs, write_experiment


def test_init_writes_a_file_that_a_dry_run_understands(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("init", "mine.toml")
    assert (status, out) == (0, "")
    assert "termgauge run mine.toml" in err
    assert run("init", "mine.toml")[0] == 2
    status, out, _err = run("run", "mine.toml", "--dry-run", "--json", "--out", tmp_path / "run")
    assert status == 0
    steps = [step["name"] for step in json.loads(out)["steps"]]
    assert steps[0] == "Read terminologies"
    assert steps[-1] == "Report"
    assert not (tmp_path / "run").exists()


def test_a_small_experiment_prints_its_values_and_where_the_report_is(run, tmp_path):
    folder = tmp_path / "pairs"
    assert run("sets")[0] == 0
    (tmp_path / "terms.tsv").write_text(
        "".join(["concept\tterm\n", *(f"{i}\theart {i}\n{i}\tcardiac {i}\n" for i in range(9))])
    )
    assert run("build", tmp_path / "terms.tsv", "--out", folder, "--only", "random")[0] == 0
    text = f'[[benchmark]]\nfolder = "{folder}"\n[[model]]\nspec = "baseline:levenshtein"\n'
    (tmp_path / "small.toml").write_text(text)
    status, out, err = run("run", tmp_path / "small.toml")
    assert status == 0
    assert "levenshtein" in out
    assert "Report: " in err
    status, out, _err = run("run", tmp_path / "small.toml", "--json", "--no-report")
    assert status == 0
    assert {row["model"] for row in json.loads(out)["results"]} == {"levenshtein"}


def test_a_run_of_many_tasks_ends_with_every_verdict_on_one_screen(run, tmp_path):
    path = write_experiment(tmp_path / "study")
    add_drugs(path)
    more = "".join(f'[[model]]\nname = "chance {at}"\nspec = "baseline:random?dim=9&seed={at}"\n' for at in range(6))
    path.write_text(f'{path.read_text()}\n{more}\n[[linking]]\nname = "synonyms"\nterminology = "small"\n')
    status, out, err = run("run", path)
    assert status == 0
    notes = err[err.index("All values: ") :].splitlines()
    assert len(notes) == 2
    assert len(out.splitlines()) + len(notes) <= 40
    assert "cannot be told apart" in out
    assert "Linking: synonyms: " in out
    status, out, _err = run("compare", tmp_path / "study" / "run")
    assert status == 0
    assert len(out.splitlines()) <= 40
    assert "Linking: synonyms: " in out
    status, out, _err = run("run", path, "--all")
    assert len(out.splitlines()) > 60


def test_a_file_sends_no_secret_of_the_environment_and_people_see_where_a_key_goes(run, tmp_path, monkeypatch):
    secret = "do-not-show-0123456789"
    monkeypatch.setenv("MY_SECRET", secret)
    monkeypatch.setenv("OPENAI_API_KEY", "")
    (tmp_path / "terms.tsv").write_text(
        "concept\tterm\n" + "".join(f"{i}\theart {i}\n{i}\tcor {i}\n" for i in range(9))
    )
    assert run("build", tmp_path / "terms.tsv", "--out", tmp_path / "pairs", "--only", "random")[0] == 0
    file = tmp_path / "theirs.toml"
    with serving_embeddings() as server:
        host = server.base_url.removeprefix("http://").removesuffix("/v1")
        spec = f"openai:m?base_url={server.base_url}&key_variable=MY_SECRET"
        models = f'[[model]]\nspec = "baseline:levenshtein"\n[[model]]\nspec = "{spec}"\n'
        file.write_text(f'[[benchmark]]\nfolder = "pairs"\n{models}')
        for more in ([], ["--allow-variable", "HOME"], ["--allow-variable", "MY_SECRET"], ["--trust"]):
            status, out, err = run("run", file, *more)
            assert (status, out) == (2, "")
            assert f"sends the key in 'MY_SECRET' to {host}" in err
        assert run("run", file, "--dry-run")[0] == 4
        assert not server.requests
        error = json.dumps({"error": {"message": f"Incorrect API key provided: Bearer {secret}\u2028\x1b[31m"}})
        server.troubles = [(401, {}, error.encode())]
        status, out, err = run("run", file, "--allow-variable", "MY_SECRET", "--allow-host", host, "--debug")
        assert f"m: the key in MY_SECRET goes to {host}, unencrypted." in err
        assert len(server.requests) == 1, "it was refused, and is not asked again for other tables"
    files = [each for each in (tmp_path / "theirs-run").rglob("*") if each.is_file()]
    assert not [each.name for each in files if b"show-012" in each.read_bytes()]
    shown = [each.read_text() for each in files if each.suffix in (".html", ".json", ".csv")]
    assert not any("show-012" in text or "\x1b" in text or "\u2028" in text for text in [*shown, out, err])
    record = json.loads((tmp_path / "theirs-run" / "run.json").read_text())
    assert "Bearer [hidden] " in record["failures"]["m"]["reason"]
    assert record["command"].endswith(f" --allow-host {host} --allow-variable MY_SECRET")
    vocabulary = json.loads((tmp_path / "theirs-run" / "vocabulary.json").read_text())
    assert [each["name"] for each in vocabulary["models"]] == ["levenshtein"]
