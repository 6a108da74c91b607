"""The report on a run: what each task found, what is missing, and how the run was made, gathered into one document.

What is missing or damaged costs its section, and the report says so.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from termgauge.engine.provenance import failure_section, provenance_section
from termgauge.engine.run_folder import EXPERIMENT, LOCK, REPORT, RUN, RunFolder, open_run
from termgauge.exceptions import (
    ClusterLostError,
    SkippedWarning,
    TermgaugeError,
    TermgaugeWarning,
    defect_of,
    warn,
    warn_skipped,
)
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_stream, sha256_of_value, version
from termgauge.options import also_called
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.reporting.blocks import Document, Fact, Prose, Section
from termgauge.reporting.standard import BASELINE, brief_verdict, headlined
from termgauge.reporting.words import headed, named, plain
from termgauge.reporting.writers.write import checked_formats, checked_pictures, places, write_document
from termgauge.tasks.contract import About
from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from termgauge.statistics.comparison import Joint
    from termgauge.tasks.contract import AnyTask, Citation
    from termgauge.tasks.results import Result


_T = TypeVar("_T")
TITLE = "Embeddings of medical terms"
_OF_VALUES = ("tests", "alpha", "min_coverage", "seed")
"""Options of tests that values and their intervals depend on."""
AT_A_GLANCE = "heatmap"
"""The section that a page shows below the verdict; the others are folded."""
PAIRS, MAKING = "pairs", "making"
_NUMBERS = frozenset({"verdict", "group-means", "groups", "scores", "sets", "pairs", "measures"})
"""Sections about pairs that are of interest to few."""


def run_document(run: str | os.PathLike[str] | RunFolder, *, paper: bool = False, **testing: Any) -> Document:  # noqa: ANN401
    """Return the report on a run, with the tables for papers if asked, which a page shows in its own way.

    Differences are tested as the run says, or by what is asked for instead.
    """
    return _Gathered(open_run(run), testing).document(paper=paper)


class _Loaded(NamedTuple):
    task: AnyTask
    result: Result
    about: About
    title: str
    """What messages call it."""
    joint: Joint | None
    """Its verdict."""


class _Gathered:
    """A run whose sections are made one after another."""

    def __init__(self, run: RunFolder, asked: Mapping[str, Any]) -> None:
        record = run.record()
        testing = record.testing.asked(**asked)
        self.run, self.record = run, record.tested(testing)
        self.view = replace(run.scored(testing), tested_anew=any(option in asked for option in _OF_VALUES))
        self.missing: list[str] = []
        """Sentences about what is not there."""
        self.failures = {name: (failure.step, failure.reason) for name, failure in record.failures.items()}
        self.loaded = list(self._load())

    def _load(self) -> Iterator[_Loaded]:
        baselines = {name: what for name, model in self.record.models.items() if (what := model.baseline)}
        reasons = {name: reason for name, (_step, reason) in self.failures.items()}
        for task in all_tasks().values():
            for name in self.record.tasks.get(task.name, []) if task.repeated else [task.name]:
                title = task.called(name)
                result = self._shown(title, partial(task.load, self.view, name))
                about = About(name if task.repeated else "", baselines, reasons, self.record.descriptions)
                if result is not None:
                    yield _Loaded(task, result, about, title, self._shown(title, result.main_comparison))

    def document(self, *, paper: bool) -> Document:
        """Make all sections in order; the verdict on pairs stands above all, or else the first that there is."""
        first = next((part for part in self.loaded if part.joint), None)
        sections: list[Section] = []
        for part in self.loaded:
            shown = self._of(part, lambda part: part.task.sections(part.result, part.about))
            verdict = brief_verdict(part.joint) if part.joint and part is not first else ""
            sections += [replace(shown[0], about=plain(verdict)), *shown[1:]] if shown else []
        cited = self._of_all(lambda part: part.task.cited(part.result))
        sections += self._about_the_run(cited)
        sections += self._of_all(lambda part: part.task.paper_sections(part.result)) if paper else []
        nothing = () if self.loaded else ("Nothing was measured.",)
        facts = tuple(self._facts(first and first.joint))
        document = Document(self.record.title or TITLE, nothing, facts, tuple(sections))
        return _with_own_ids(self._headlined(document, first, first.joint) if first and first.joint else document)

    def _headlined(self, document: Document, part: _Loaded, joint: Joint) -> Document:
        """Put a verdict above all, fold the sections, and make one of all that is of interest to few."""
        origins = [about.origin for name in joint.sets if (about := self.record.sets.get(name))]
        one = len({origin.terminology if origin else "" for origin in origins} - {""}) == 1 and all(origins)
        best = "knows this terminology best" if one else "is best"
        task = part.task.name
        if task != PAIRS:
            what = Fact("", plain(headed(part.task.title, part.about.name)))
            document = replace(document, facts=(what, *document.facts))
        page = headlined(document, joint, best=best, items="pairs" if task == PAIRS else "items")
        verdict, *others = page.chapters
        sections = [*verdict]
        numbers = [Section("numbers", "Methods and numbers", (), folded=True)]
        for first, *parts in others:
            if first.id == MAKING or (task == PAIRS and first.id in _NUMBERS):
                numbers += (replace(section, level=3) for section in (first, *parts))
            else:
                sections += [replace(first, folded=first.id != AT_A_GLANCE), *parts]
        return replace(page, sections=(*sections, *numbers))

    def _of_all(self, make: Callable[[_Loaded], Iterable[_T]]) -> list[_T]:
        """Make something of each task, as far as that can be done."""
        return [piece for part in self.loaded for piece in self._of(part, make)]

    def _of(self, part: _Loaded, make: Callable[[_Loaded], Iterable[_T]]) -> list[_T]:
        def tracked() -> list[_T]:
            made: list[_T] = []
            with track(f"Report: {part.task.title.lower()}", unit="parts") as advance:
                for piece in make(part):
                    made.append(piece)
                    advance(1)
            return made

        return self._shown(part.title, tracked) or []

    def _shown(self, name: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Make something of a task; None if that cannot be done, which the report then says."""
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always", TermgaugeWarning)
            made = problem = None
            try:
                made = make()
            except ClusterLostError:
                raise
            except TermgaugeError as error:
                problem = f"{name} cannot be shown: {error}"
            except Exception as error:  # noqa: BLE001 - a defect in one section must not cost the others
                problem = (
                    f"{name} cannot be shown: it is not as this version of termgauge writes it, or this is a defect of "
                    f"termgauge ({defect_of(error)}); delete it and run again, and report it if that does not help."
                )
        for note in notes:
            if isinstance(note.message, TermgaugeWarning):
                self.missing.append(str(note.message))
            if isinstance(note.message, SkippedWarning):
                warn(note.message)
        if problem and problem not in self.missing:
            self.missing.append(problem)
            warn_skipped(f"{name} in the report", problem)
        return made

    def _facts(self, joint: Joint | None) -> Iterator[Fact]:
        """Yield what was measured: terminologies, models, and the sets of the verdict."""
        identities = [*self.record.terminologies.values()]
        identities += [benchmark.terminology for benchmark in self.record.benchmarks.values() if benchmark.terminology]
        sources = dict.fromkeys(
            f"{identity.edition or identity.format} {identity.version}".strip() for identity in identities
        )
        weak = sum(bool(model.baseline) for model in self.record.models.values())
        models = numbered(len(self.record.models) - weak, "model")
        sets = [about for name, about in self.record.sets.items() if not joint or name in joint.sets]
        sets = sets or [*self.record.sets.values()]
        title = self.record.title if joint else ""
        yield from (Fact("", plain(text)) for text in (title, ", ".join(sources)) if text)
        yield Fact("", f"{models}, {numbered(weak, 'baseline')} {BASELINE}" if weak else models)
        if sets:
            pairs = sum(about.pairs for about in sets)
            yield Fact("", f"{numbered(len(sets), 'set')}, {numbered(pairs, 'pair')}")

    def _about_the_run(self, cited: list[Citation]) -> Iterator[Section]:
        told = {f"{name}: {reason}" for name, (_step, reason) in self.failures.items()}
        missing = [
            *self.missing,
            *(f"{name} is not there: {reason}" for name, reason in self.record.section_failures.items()),
            *(f"Left out: {sentence}" for sentence in self.record.left_out if sentence not in told),
        ]
        if failed := failure_section(self.failures, missing):
            what = self.failures and f"{named([*self.failures])} could not be measured by all that was asked for."
            yield replace(failed, about=what or missing[0])
        text = None
        with suppress(OSError):
            text = (self.run.path / EXPERIMENT).read_text(encoding="utf-8", errors="replace")
        yield provenance_section(self.record, cited, text)


def _with_own_ids(document: Document) -> Document:
    """Return a document in which no two sections, tables or figures have the same id."""
    seen: set[str] = set()

    def unique(name: str) -> str:
        fresh = next(one for at in count(1) if (one := f"{name}-{at}" if at > 1 else name) not in seen)
        seen.add(fresh)
        return fresh

    sections = []
    for section in document.sections:
        blocks = tuple(
            block if isinstance(block, Prose) else replace(block, id=unique(block.id)) for block in section.blocks
        )
        sections.append(replace(section, id=unique(f"section-{section.id}").removeprefix("section-"), blocks=blocks))
    return replace(document, sections=tuple(sections))


HTML = "html"
KEPT = ".report.json"
"""What the page of a run was made from."""
_MADE_ANEW = (RUN, LOCK, EXPERIMENT, REPORT, KEPT, "benchmarks", "sets", "domains", "comparisons")
"""What every run writes, or what is made from the rest; the sets stand in ``run.json``, by their hashes."""


@also_called(format="formats")
def report(
    run: str | os.PathLike[str] | RunFolder,
    *,
    formats: str | Iterable[str] = ("html",),
    out: str | os.PathLike[str] | None = None,
    figures: str | Iterable[str] | None = None,
    **testing: Any,  # noqa: ANN401
) -> list[Path]:
    """Write the report on a run.

    Parameters
    ----------
    run
        A run folder.
    formats
        ``html`` (one page), ``markdown``, ``csv`` (a file for each table and figure), ``latex`` (tables to include in a
        paper, and a report that compiles).
    out
        Where to: for one format the file (HTML, Markdown) or folder (CSV, LaTeX) itself, for several a folder. The run
        folder if it is not given.
    figures
        Kinds of picture files beside Markdown and LaTeX: ``svg``, ``pdf``, ``png``, or ``none``.
    **testing
        How differences are tested, in all formats alike: ``tests``, ``statistic``, ``correction`` and the others that
        :class:`~termgauge.tasks.contract.Testing` declares; what is not given is as in the run.

    Returns
    -------
    list
        What to look at: the page, the text, the index of the CSV files, the report in LaTeX.

    Raises
    ------
    TermgaugeError
        If there is no such run or format, or the place cannot be written.

    Examples
    --------
    >>> report("run", formats=["html", "latex"])  # doctest: +SKIP
    """
    opened = open_run(run)
    targets = targets_of(formats, opened.path, out, "report")
    _ = _kinds(figures)  # one that cannot be made is said before work is done
    with track("Report", total=1 + len(targets), unit="steps") as advance:
        document = run_document(opened, **testing)
        whole = document if set(targets) == {HTML} else run_document(opened, paper=True, **testing)
        advance(1)
        written = []
        for form, target in targets.items():
            shown = document if form == HTML else whole
            written += write_as(shown, {form: target}, figures)
            advance(1)
    return written


def update_report(run: RunFolder) -> None:
    """Write the page of a run, unless it is there and nothing that it shows has changed."""
    if is_current(run):
        return
    page, kept = run.path / REPORT, run.path / KEPT
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TermgaugeWarning)
        report(run)
    notes = [warning.message for warning in caught if isinstance(warning.message, TermgaugeWarning)]
    for note in notes:
        warn(note)
    if any(isinstance(note, SkippedWarning) for note in notes):
        kept.unlink(missing_ok=True)  # what is missing is said again each time
    else:
        write_text(kept, json.dumps({"shows": _shown(run), "page": _sha256(page)}) + "\n")


def is_current(run: RunFolder) -> bool:
    """Say whether the page of a run shows what the run holds."""
    with suppress(OSError, ValueError, TermgaugeError):
        kept = json.loads((run.path / KEPT).read_bytes())
        return bool(kept == {"shows": _shown(run), "page": _sha256(run.path / REPORT)})
    return False


def _shown(run: RunFolder) -> str:
    """Return a hash of what the page shows; files that only change when they are made anew are known by their times."""
    record = run.record().model_dump(mode="json", exclude={"timings", "units"})
    files = [
        (file.relative_to(run.path).as_posix(), file.stat().st_size, file.stat().st_mtime_ns)
        for path in run.path.iterdir()
        if path.name not in _MADE_ANEW
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.is_file()
    ]
    tasks = {name: task.version for name, task in all_tasks().items()}
    return sha256_of_value([version(), tasks, record, _sha256(run.path / EXPERIMENT), sorted(files)])


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return sha256_of_stream(stream)


def write_as(document: Document, targets: Mapping[str, Path], figures: str | Iterable[str] | None = None) -> list[Path]:
    """Write a document that is there to the places of some formats; see :func:`report`."""
    return write_document(document, targets, pictures=_kinds(figures), made=f"Made by termgauge {version()}.")


def targets_of(
    formats: str | Iterable[str], folder: Path, out: str | os.PathLike[str] | None, name: str
) -> dict[str, Path]:
    """Return where each format goes; one that cannot be used is refused before work is done for it."""
    wanted = checked_formats([formats] if isinstance(formats, str) else formats) or ("html",)
    return places(wanted, folder, None if out is None else Path(out), name)


def _kinds(figures: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if figures is None:
        return None
    words = [figures] if isinstance(figures, str) else figures
    return checked_pictures(part for word in words for part in word.replace(",", " ").lower().split())
