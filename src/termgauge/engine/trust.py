"""What an experiment file of somebody else may do, and how a user allows more.

A file is data. One that sends nothing to another machine, names no variable of the environment and runs no code that
came with a model needs no consent, wherever its paths lead. What any other file wants is a list of demands. A user
consents to them one by one with flags, or to the whole file as it is now: its hash is then remembered, as direnv does.
Two things need a flag even then: code, and a key for a host that the key does not belong to.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from pydantic import Field

from termgauge.embeddings.schemes import all_schemes
from termgauge.embeddings.spec import ModelSpec, has_files
from termgauge.exceptions import TermgaugeError
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_value
from termgauge.io.paths import PACKAGE_PREFIX, expanded
from termgauge.options import Flag, Names, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from termgauge.embeddings.schemes import Option
    from termgauge.engine.tables import Experiment

KEY_HOSTS = {
    "ANTHROPIC_API_KEY": ("api.anthropic.com",),
    "AZURE_OPENAI_API_KEY": (".openai.azure.com",),
    "DEEPINFRA_API_KEY": ("api.deepinfra.com",),
    "GEMINI_API_KEY": ("generativelanguage.googleapis.com",),
    "HF_TOKEN": ("huggingface.co", ".huggingface.co", ".endpoints.huggingface.cloud"),
    "JINA_API_KEY": ("api.jina.ai",),
    "MISTRAL_API_KEY": ("api.mistral.ai",),
    "NVIDIA_API_KEY": ("integrate.api.nvidia.com",),
    "OPENAI_API_KEY": ("api.openai.com",),
    "OPENROUTER_API_KEY": ("openrouter.ai",),
    "TOGETHER_API_KEY": ("api.together.xyz", "api.together.ai"),
    "VOYAGE_API_KEY": ("api.voyageai.com",),
}
"""The hosts that a key belongs to; those with a dot in front are domains, of which any host counts."""
VARIABLE = re.compile(r"\$\{([^}]*)\}")
"""A variable of the environment in a path."""
CODE_FLAG, TRUST_FLAG = "--allow-remote-code", "--trust"


class Permissions(Options):
    """What a user allows an experiment file to do."""

    allow_hosts: Annotated[Names, Flag(("--allow-host",), metavar="HOST[:PORT]")] = Field(
        [], description="A host to which the file may send texts, and the keys that it names."
    )
    allow_variables: Annotated[Names, Flag(("--allow-variable",), metavar="NAME")] = Field(
        [], description="An environment variable that the file may read."
    )
    allow_remote_code: bool = Field(
        default=False, description="Let Python code run that comes with a model of the file."
    )
    trust: bool = Field(
        default=False,
        description="Let the file send texts and read variables as it says, without being asked; a key still goes only "
        "to the hosts that it belongs to.",
    )

    def flags(self) -> list[str]:
        """Return the flags of the command that give these permissions."""
        flags = [f"--allow-host {host}" for host in self.allow_hosts]
        flags += [f"--allow-variable {name}" for name in self.allow_variables]
        return flags + [CODE_FLAG] * self.allow_remote_code + [TRUST_FLAG] * self.trust


NOTHING_ALLOWED = Permissions()


@dataclass(frozen=True)
class Demand:
    """Something that running an experiment file would do and that its user should know."""

    what: str
    """It follows the name of the file: “sends texts of the model 'a' to HOST”."""
    flags: tuple[str, ...] = ()
    """Each of these allows it; without any it needs no permission."""
    needs_flag: bool = False
    """Whether it is not allowed even if the file is trusted."""
    granted: bool = False

    def judged(self, permissions: Permissions, *, trusted: bool) -> Demand:
        """Return the demand with whether it is granted."""
        allowed = set(permissions.flags()).intersection(self.flags)
        return replace(self, granted=bool(allowed or not self.flags or (trusted and not self.needs_flag)))


class UntrustedError(TermgaugeError):
    """An experiment file wants something that its user has not allowed."""

    def __init__(self, path: Path, text: str, demands: Iterable[Demand]) -> None:
        self.path, self.text, self.demands = path, text, tuple(demands)
        refused = sorted((demand for demand in self.demands if not demand.granted), key=lambda one: not one.needs_flag)
        flags = list(dict.fromkeys(demand.flags[0] for demand in refused))
        needed = list(dict.fromkeys(demand.flags[0] for demand in refused if demand.needs_flag))
        ways = [flags, *([[*needed, TRUST_FLAG]] if needed != flags else [])]
        wanted = "; ".join(demand.what for demand in self.demands)
        super().__init__(
            f"{path}: is not trusted yet, for it {wanted}. Read it; if you agree, add "
            f"{', or '.join(' '.join(way) for way in ways)} to the command."
        )


def demands_of(experiment: Experiment, base: Path) -> list[Demand]:
    """Return what an experiment, as its file says it, wants beside reading files of the file's own folder."""
    demands: list[Demand] = []
    paths: dict[str, None] = {}

    def see(path: str) -> str:
        paths[path] = None
        return path

    experiment.located(see)
    for model in experiment.model:
        demands += _demands_of_model(moved_spec(ModelSpec.parse(model.spec), base, see), model.title, base)
    if experiment.human and experiment.human.download:
        demands.append(Demand("downloads sets of pairs from their public addresses"))
    names = dict.fromkeys(name for path in paths for name in VARIABLE.findall(path))
    demands += (Demand(f"reads the environment variable '{name}'", (f"--allow-variable {name}",)) for name in names)
    outside = [
        path
        for path in paths
        if not path.startswith(PACKAGE_PREFIX)
        and (VARIABLE.search(path) or not Path(located(path, base)).resolve().is_relative_to(base.resolve()))
    ]
    if outside:
        demands.append(Demand(f"names what is outside of its folder ({', '.join(outside)})"))
    return demands


def _demands_of_model(spec: ModelSpec, title: str, base: Path) -> Iterator[Demand]:
    options, settings = declared_options(spec), dict(spec.options)
    if any(option.runs_code and settings.get(name, "false") != "false" for name, option in options.items()):
        yield Demand(f"runs Python code that came with the model '{title}'", (CODE_FLAG,), needs_flag=True)
    on_hub = spec.scheme and spec.declared.files == "hub" and not VARIABLE.search(spec.location)
    if on_hub and not has_files(spec, base):
        yield Demand(f"downloads the model {spec.location} from its hub, unless it is on this machine")
    if (address := address_of(spec)) is None:
        return
    host, flags = _host(address), _host_flags(address)
    keys = {name: settings.get(name, option.default) for name, option in options.items() if option.names_variable}
    host_keys = [key for name, key in keys.items() if key and _belongs(key, spec, options[name])]
    yield Demand(
        f"sends texts for the model '{title}' to {host}{''.join(f', with the key in {key}' for key in host_keys)}",
        flags,
    )
    for name, variable in keys.items():
        if settings.get(name) and variable not in host_keys:
            yield Demand(f"sends the key in '{variable}' to {host}", (f"--allow-variable {variable}",))
            yield Demand(f"names {host} for a key that is not known to belong there", flags, needs_flag=True)


def permitted_spec(spec: ModelSpec, permissions: Permissions) -> ModelSpec:
    """Return a spec of a file without what the user did not allow: code, and a key for a host it does not belong to.

    A key that the file names is demanded, and refused; the one that a scheme takes by itself is only left out.
    """
    options = declared_options(spec)
    code = {name for name, option in options.items() if option.runs_code and not permissions.allow_remote_code}
    spec = replace(spec, options=tuple((name, value) for name, value in spec.options if name not in code))
    address = address_of(spec)
    if address is None or set(permissions.flags()).intersection(_host_flags(address)):
        return spec
    settings = dict(spec.options)
    withheld = {
        name: ""
        for name, option in options.items()
        if option.names_variable and name not in settings and not _belongs(option.default, spec, option)
    }
    return spec.with_options(withheld)


def address_of(spec: ModelSpec) -> str | None:
    """Return where the texts of a model go, if they leave this machine."""
    return spec.declared.sends_to(spec) if spec.scheme and spec.declared.sends_to else None


def _belongs(variable: str, spec: ModelSpec, option: Option) -> bool:
    """Say whether a key belongs to where a model's texts go: a host of its own, which it reaches unread.

    Where a spec names no address, the scheme's usual key goes to the scheme's usual address, or to the one that the
    user's own environment names.
    """
    if variable == option.default and "base_url" not in dict(spec.options):
        return True
    parts = urlsplit(address_of(spec) or "")
    host = parts.hostname or ""
    hosts = KEY_HOSTS.get(variable, ())
    right = any(host.endswith(suffix) if suffix.startswith(".") else host == suffix for suffix in hosts)
    return right and parts.scheme == "https"


def _host(address: str, *, port: bool = True) -> str:
    """Return the host of an address, in letters that cannot be taken for others."""
    parts = urlsplit(address)
    name = parts.hostname or ""
    name = name if name.isascii() else ascii(name)[1:-1]
    return f"{name}:{parts.port}" if port and parts.port else name


def _host_flags(address: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"--allow-host {_host(address, port=port)}" for port in (True, False)))


def is_trusted(path: Path, text: str) -> bool:
    """Say whether a user trusted a file at this place with this very content."""
    return _mark(path, text).is_file()


def remember(path: Path, text: str) -> None:
    """Remember that a user trusts a file at this place with this very content."""
    write_text(_mark(path, text), f"{path.resolve()}\n")


def forget(path: Path, text: str) -> None:
    """Forget that a user trusts a file."""
    _mark(path, text).unlink(missing_ok=True)


def _mark(path: Path, text: str) -> Path:
    """Return the file that stands for the trust in a file; where it lies counts, for its paths start from there."""
    from platformdirs import user_state_path

    return user_state_path("termgauge", appauthor=False) / "trusted" / sha256_of_value([str(path.resolve()), text])


def located(path: str, base: Path, undefined: Callable[[str], None] | None = None) -> str:
    """Return a place that is meant from a base folder; places inside packages stay as they are.

    Where it is said what to do about variables that are not set, the others are replaced; the path is absolute then, so
    that it cannot be taken for a name on a hub.
    """
    names = VARIABLE.findall(path) if undefined else []
    for name in names:
        if undefined and name not in os.environ:
            undefined(name)
    path = VARIABLE.sub(lambda match: os.environ[match[1]], path) if names else path
    if path.startswith(PACKAGE_PREFIX):
        return path
    return str((base / expanded(path)).absolute() if names else base / expanded(path))


def moved_spec(spec: ModelSpec, base: Path, at: Callable[[str], str]) -> ModelSpec:
    """Return a spec of which each path, as meant from a base folder, is moved by a function.

    Examples
    --------
    >>> base = Path("study")
    >>> spec = ModelSpec.parse("word2vec:vectors/a.bin?lowercase=true")
    >>> str(moved_spec(spec, base, lambda place: located(place, base)))
    'word2vec:study/vectors/a.bin?lowercase=true'
    >>> str(moved_spec(ModelSpec.parse("transformers:org/name"), base, lambda place: located(place, base)))
    'transformers:org/name'
    """
    no_files = bool(spec.scheme) and spec.declared.files == "none"
    in_variable = VARIABLE.search(spec.location) and not no_files  # no hub has such names
    location = at(spec.location) if spec.location and (in_variable or has_files(spec, base)) else spec.location
    declared = declared_options(spec)
    named = {name for name, option in declared.items() if option.names_file}
    options = tuple(
        (name, at(value) if name in named and (VARIABLE.search(value) or (base / value).is_file()) else value)
        for name, value in spec.options
    )
    return replace(spec, location=location, options=options)


def declared_options(spec: ModelSpec) -> dict[str, Option]:
    """Return the options that a spec may have: of all schemes, if its own is not known yet."""
    schemes = [spec.declared] if spec.scheme else all_schemes().values() if spec.options else ()
    return {name: option for scheme in schemes for name, option in scheme.options.items()}
