"""Running a whole experiment: read, build, score, test, measure, report, each step only as far as it is missing.

The run folder remembers what was made from what. So a run that was killed goes on where it stopped, a changed file is
noticed, and a second run of the same file is quick. A model that fails costs itself alone and is named in ``run.json``.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.atomic import write_text
from termgauge.exceptions import CannotWriteError, TermgaugeError, sentence_of, warn
from termgauge.experiment import run_sections
from termgauge.experiment.checks import benchmark_name, build_options, model_name
from termgauge.experiment.evaluate import load_sets, made_with
from termgauge.experiment.file import ExperimentFile, load_experiment
from termgauge.experiment.places import terminology_path
from termgauge.experiment.result_files import update_results
from termgauge.experiment.run_folder import EXPERIMENT, LAYOUT, DamagedRunError, RunFolder
from termgauge.experiment.run_sections import (
    section_file,
    write_analogies,
    write_categories,
    write_coverage,
    write_domain,
    write_vocabulary,
)
from termgauge.experiment.scoring_task import OPENING, Failure, ScoredModel, ScoringTask, open_named
from termgauge.experiment.steps import (
    BUILD,
    CATEGORIES,
    COVERAGE,
    HUMAN,
    READ,
    SCORE,
    VALUES,
    VOCABULARY,
    WRITE_REPORT,
    step_names,
)
from termgauge.experiment.workers import scored_models
from termgauge.progress import steps

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.terminology.model import Terminology

_DOMAIN_FOLDERS = (run_sections.DOMAINS, run_sections.COVERAGE, run_sections.ANALOGIES)


def run(
    experiment: str | os.PathLike[str] | ExperimentFile | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    report: bool = True,
    executor: Executor | None = None,
) -> RunFolder:
    """Run a whole experiment.

    Parameters
    ----------
    experiment
        An experiment file; the embedded default if not given.
    out
        The run folder, instead of the one that the file names.
    jobs
        How many models are scored at once, each in a process of its own with its share of the cores.
    report
        Whether ``report.html`` is written.
    executor
        Where models are scored instead: anything like `concurrent.futures.Executor` whose workers see the same files.

    Returns
    -------
    RunFolder
        The run; its ``results()`` are the values.

    Raises
    ------
    TermgaugeError
        If the file makes no sense, what it names cannot be read, or no model can be used.
    """
    file = experiment if isinstance(experiment, ExperimentFile) else load_experiment(experiment)
    runner = _Runner(file, RunFolder(Path(out) if out is not None else file.output), jobs, executor)
    return runner.run(report=report)


@dataclass
class _Runner:
    """What is known so far of a run under way."""

    file: ExperimentFile
    folder: RunFolder
    jobs: int
    executor: Executor | None
    terminologies: dict[str, Terminology] = field(default_factory=dict)
    sets: list[PairSet] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    section_failures: dict[str, str] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    at_work: bool = False

    def run(self, *, report: bool) -> RunFolder:
        names = step_names(self.file, report=report)
        work: dict[str, Callable[[], None]] = {
            READ: self._read,
            BUILD: self._build,
            HUMAN: self._human,
            SCORE: self._score,
            VALUES: self._values,
            VOCABULARY: self._vocabulary,
            CATEGORIES: self._categories,
            COVERAGE: self._coverage,
            WRITE_REPORT: self._report,
        }
        self.document = self._former()
        with ExitStack() as held, steps(names) as begin:
            for name in names:
                begin(name)
                if name in (BUILD, SCORE) and not self.at_work:  # what is to be read was there: now the folder is made
                    held.enter_context(self.folder.at_work())
                    self.at_work = True
                with self._timed(name):
                    work[name]()
            self._write_end()
        return self.folder

    def _former(self) -> dict[str, Any]:
        """Return ``run.json`` as it was; one that is damaged is made again from the files, which know what they are."""
        try:
            return self.folder.document()
        except DamagedRunError as error:
            warn(f"{error} It is made again.")
            return {"layout": LAYOUT, "sets": {}, "models": {}}

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        former = self.document.get("timings", {}).get(name, 0.0)
        # What was there already took no time now; how long it took is what people want to know.
        self.timings[name] = max(round(time.monotonic() - began, 2), former)

    def _read(self) -> None:
        from termgauge.terminology import read_terminology

        for table in self.file.experiment.terminology:
            sources = [table.source] if isinstance(table.source, str) else table.source
            options = table.model_dump(exclude={"name", "source"})
            self.terminologies[table.name] = read_terminology([terminology_path(place) for place in sources], **options)

    def _build(self) -> None:
        from termgauge.benchmark.build import build
        from termgauge.benchmark.stored import load_benchmark

        made = {}
        built: list[PairSet] = []
        for table in self.file.experiment.benchmark:
            name = benchmark_name(table)
            if table.folder is not None:
                found = load_benchmark(table.folder)
            else:
                assert table.terminology is not None  # the file was checked
                language = next(
                    each.language for each in self.file.experiment.terminology if each.name == table.terminology
                )
                options = build_options(table, self.file.experiment.seed, language)
                place = self.folder.path / "benchmarks" / name
                # The folder is the run's own: what another version of the file built there is out of date.
                found = build(self.terminologies[table.terminology], place, force=True, **options)
            manifest = found.manifest
            made[name] = {
                "folder": str(found.folder),
                "terminology": manifest.terminology,
                "seed": manifest.seed,
                "options": manifest.options,
                "notes": manifest.notes,
            }
            built += found
        self.sets = built + self.sets
        self.document["benchmarks"] = made

    def _human(self) -> None:
        table = self.file.experiment.human
        assert table is not None
        names = ["human"] if table.sets == "all" else table.sets
        self.sets += load_sets(names, data_dir=self._data_dir(), download=table.download)

    def _data_dir(self) -> Path | None:
        human = self.file.experiment.human
        return Path(human.data_dir) if human and human.data_dir else None

    def _score(self) -> None:
        experiment = self.file.experiment
        self.sets = load_sets(self.sets) if self.sets else []  # no two of one id
        self._write_beginning()
        data_dir = self._data_dir()
        tasks = [
            ScoringTask(
                str(self.folder.path),
                model_name(table),
                table.spec,
                tuple(pairs.id for pairs in self.sets),
                tuple(experiment.scoring.measures),
                None if data_dir is None else str(data_dir),
            )
            for table in experiment.model
        ]
        scored = scored_models(tasks, self.jobs, self.executor)
        former, models = self.document["models"], {}
        for one in scored:
            for note in one.notes:
                warn(note)
            if one.failure:
                self._fail(one.name, one.failure)
            if one.entry:
                models[one.name] = {**one.entry, "concept_ids": _concept_ids(one, former)}
        self.document["models"] = models
        self._note_failures()
        self.folder.write_document(self.document)
        if not models:
            raise TermgaugeError(f"No model can be used: {next(iter(self.failures.values())).reason}")

    def _write_beginning(self) -> None:
        """Keep the sets, and say in ``run.json`` what they are, for the workers to read."""
        experiment, document = self.file.experiment, self.document
        write_text(self.folder.path / EXPERIMENT, self.file.text)
        for pairs in self.sets:
            self.folder.write_set(pairs)
        document["sets"] = {
            pairs.id: {"sha256": pairs.sha256, "pairs": len(pairs), "graded": pairs.graded} for pairs in self.sets
        }
        names = [model_name(table) for table in experiment.model]
        document["models"] = {name: entry for name, entry in document["models"].items() if name in names}
        document |= made_with(experiment.significance.alpha)
        document |= {
            "title": self.file.title,
            "command": self._command(),
            "correction": experiment.significance.correction,
            "measures": list(experiment.scoring.measures),
            "significance": experiment.significance.model_dump(),
            "terminologies": {name: asdict(each.identity) for name, each in self.terminologies.items()},
            "categories": [each.name for each in experiment.categories],
            "coverage": [each.name for each in experiment.coverage],
        }
        self.folder.write_document(document)

    def _command(self) -> str:
        import shlex

        words = ["termgauge", "run", *([str(self.file.path)] if self.file.path else [])]
        if self.folder.path != self.file.output:
            words += ["--out", str(self.folder.path)]
        return shlex.join(words)

    def _values(self) -> None:
        update_results(self.folder, self.document, self.file.experiment.significance.alpha)

    def _usable(self) -> dict[str, tuple[str, Callable[[], Model]]]:
        """Return the models that opened: what each is, and how to open it again."""
        specs = {model_name(table): table.spec for table in self.file.experiment.model}

        def opener(name: str) -> Callable[[], Model]:
            return lambda: open_named(name, specs[name])

        return {name: (entry["key"], opener(name)) for name, entry in self.document["models"].items()}

    def _vocabulary(self) -> None:
        with self._section("vocabulary", self.folder.path / f"{run_sections.VOCABULARY}.json"):
            self._fail_all(write_vocabulary(self.folder.path, self.sets, self._usable()))

    def _categories(self) -> None:
        experiment = self.file.experiment
        for table in experiment.categories:
            with self._section(
                f"categories {table.name}", section_file(self.folder.path, run_sections.CATEGORIES, table.name)
            ):
                self._fail_all(
                    write_categories(
                        self.folder.path,
                        table,
                        self._terminology(table.terminology),
                        self._usable(),
                        alpha=experiment.significance.alpha,
                        seed=experiment.seed,
                    )
                )

    def _coverage(self) -> None:
        experiment = self.file.experiment
        testing: dict[str, Any] = {
            "alpha": experiment.significance.alpha,
            "correction": experiment.significance.correction,
            "seed": experiment.seed,
        }
        # Baselines have no vectors that were learned, and so know nothing of a domain.
        models = {
            name: each
            for name, each in self._usable().items()
            if not self.document["models"][name]["scheme"].startswith("baseline")
        }
        for table in experiment.coverage:
            terminology = self._terminology(table.terminology)
            assert terminology is not None  # the file was checked
            files = {part: section_file(self.folder.path, part, table.name) for part in _DOMAIN_FOLDERS}
            with self._section(f"coverage {table.name}", *files.values()):
                domain = write_domain(self.folder.path, table, terminology)
                given = (self.folder.path, table, terminology, domain, models)
                self._fail_all(write_coverage(*given, **testing))
                if table.analogies:
                    with self._section(f"analogies {table.name}", files[run_sections.ANALOGIES]):
                        self._fail_all(write_analogies(*given, **testing))

    def _forget_other_sections(self) -> None:
        """Delete sections that the file does not ask for any more, so that no report shows them."""
        experiment = self.file.experiment
        coverage = [table.name for table in experiment.coverage]
        wanted = dict.fromkeys(_DOMAIN_FOLDERS, coverage) | {
            run_sections.ANALOGIES: [table.name for table in experiment.coverage if table.analogies],
            run_sections.CATEGORIES: [table.name for table in experiment.categories],
        }
        for part, names in wanted.items():
            kept = {section_file(self.folder.path, part, name) for name in names}
            for file in (self.folder.path / part).glob("*.json"):
                if file not in kept:
                    file.unlink(missing_ok=True)

    def _terminology(self, name: str | None) -> Terminology | None:
        """Return the terminology of that name, or the only one."""
        if name is None:
            return next(iter(self.terminologies.values()), None)
        return self.terminologies[name]

    @contextmanager
    def _section(self, name: str, *files: Path) -> Iterator[None]:
        """Note why a section is missing, instead of losing all that was done before it; what it was is out of date."""
        try:
            yield
        except CannotWriteError:
            raise
        except (TermgaugeError, OSError, MemoryError) as error:
            for file in files:
                file.unlink(missing_ok=True)
            self.section_failures[name] = sentence_of(error)
            warn(f"The section '{name}' is left out: {sentence_of(error)}")
        self._note_failures()

    def _fail_all(self, failures: dict[str, Failure]) -> None:
        for name, failure in failures.items():
            self._fail(name, failure)

    def _fail(self, name: str, failure: Failure) -> None:
        if name in self.failures:
            return
        self.failures[name] = failure
        verb = "cannot be used and is left out" if failure.step == OPENING else f"failed in {failure.step}"
        warn(f"The model '{name}' {verb}: {failure.reason}")

    def _note_failures(self) -> None:
        self.document["failures"] = {name: failure.as_dict() for name, failure in self.failures.items()}
        self.document["section_failures"] = dict(self.section_failures)
        self.document["left_out"] = [f"{name}: {failure.reason}" for name, failure in self.failures.items()]
        self.document["timings"] = self.timings

    def _write_end(self) -> None:
        """Say in ``run.json`` what failed and how long the steps took."""
        self._forget_other_sections()
        self._note_failures()
        self.folder.write_document(self.document)

    def _report(self) -> None:
        self._write_end()
        from termgauge.experiment.write_report import report

        report(self.folder)


def _concept_ids(one: ScoredModel, former: dict[str, Any]) -> dict[str, str]:
    """Return which system of concept ids each set was scored with, now or before."""
    assert one.entry is not None
    known = former.get(one.name, {})
    same = known.get("concept_ids", {}) if known.get("key") == one.entry["key"] else {}
    return {**same, **one.concept_ids}
