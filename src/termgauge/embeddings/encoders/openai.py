"""Vectors from any endpoint that speaks OpenAI's ``/embeddings``, local or paid.

Requests are small and asked one after another; what may pass (too many requests, a server that stumbles, a cut
connection) is tried again after a pause, what will not is said at once, and whatever was paid for is on disk by then.
"""

from __future__ import annotations

import math
import os
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from termgauge.embeddings.encoders.encoding import CachedTermModel
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import PROMPT, STORE, Option, Scheme
from termgauge.exceptions import TermgaugeError, warn
from termgauge.identity import version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import requests
    from numpy.typing import NDArray

    from termgauge.embeddings.spec import ModelSpec

BASE_URL = "https://api.openai.com/v1"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"
ATTEMPTS = 6
PAUSE_SECONDS = 1.0
"""Before the second attempt; each further pause is twice as long, unless the server says how long."""
LONGEST_PAUSE_SECONDS = 120.0
TIMEOUT_SECONDS = (10.0, 120.0)
CHARACTERS_PER_TOKEN = 4
"""About, for terms in Latin letters: what a token is only the endpoint knows."""

_PASSING_TROUBLES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})


class _PassingError(Exception):
    """It failed, and another attempt may succeed."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


@dataclass(frozen=True)
class Endpoint:
    """Where to ask, how much at once, and at what price."""

    base_url: str
    model: str
    key: str = ""
    key_variable: str = "OPENAI_API_KEY"
    dimensions: int | None = None
    prompt: str = ""
    batch: int = 256
    max_length: int = 8191
    """Tokens of a text, about; what is longer is cut."""
    request_tokens: int = 100_000
    """Tokens of a request, about."""
    rate: int = 0
    """Requests a minute; 0 for as many as go."""
    price: float | None = None
    """Of a million tokens, in dollars."""
    large: int = 10_000
    """From so many terms on, the user is told beforehand what it takes."""


def load_openai(spec: ModelSpec) -> CachedTermModel:
    """Make a model of an endpoint; nothing is asked of it yet."""
    endpoint = Endpoint(
        _base_url(spec.text("base_url") or os.environ.get(BASE_URL_VARIABLE, "") or BASE_URL),
        spec.location,
        os.environ.get(spec.text("key_variable"), "").strip(),
        spec.text("key_variable"),
        int(spec.text("dimensions")) if spec.text("dimensions") else None,
        spec.text("prompt"),
        spec.integer("batch"),
        spec.integer("max_length"),
        spec.integer("request_tokens"),
        spec.integer("rate"),
        _price(spec.text("price")),
        spec.integer("large"),
    )
    if not endpoint.key and endpoint.base_url == BASE_URL:
        raise TermgaugeError(
            f"{BASE_URL}: wants a key; put it into the environment variable {endpoint.key_variable}, or name another "
            "endpoint with ?base_url=URL."
        )
    options = {
        "dimensions": spec.text("dimensions"),
        "max_length": str(endpoint.max_length),
        "model": endpoint.model,
        "prompt": endpoint.prompt,
    }
    identity = ModelIdentity("terms", "openai", endpoint.base_url, tuple(sorted(options.items())))
    encoder = EndpointEncoder(spec.name, identity, endpoint)
    return CachedTermModel(encoder, spec.text("store"))


class EndpointEncoder:
    """A `TextEncoder` that asks an endpoint."""

    def __init__(self, name: str, identity: ModelIdentity, endpoint: Endpoint) -> None:
        self.name, self.identity = name, identity
        self.source = f"{endpoint.base_url} {endpoint.model}"
        self.batch_size, self.max_length = endpoint.batch, endpoint.max_length
        self._endpoint = endpoint
        self._address = f"{endpoint.base_url}/embeddings"
        self._next_request = 0.0

    @cached_property
    def dimension(self) -> int:
        """Numbers in a vector: as asked for, else as the endpoint gives for a first word."""
        return self._endpoint.dimensions or self.encode_batch(["term"]).shape[1]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return about how many tokens each text has."""
        prompt = len(self._endpoint.prompt)
        return [math.ceil((prompt + len(text)) / CHARACTERS_PER_TOKEN) for text in texts]

    def announce(self, texts: Sequence[str]) -> None:
        """Say before a large job how much it is and, if the price is known, what it costs."""
        if len(texts) < self._endpoint.large:
            return
        tokens = sum(min(length, self.max_length) for length in self.lengths(texts))
        cost = "may cost money (give ?price=DOLLARS for a million tokens to see how much)"
        if self._endpoint.price is not None:
            cost = f"costs about ${tokens / 1e6 * self._endpoint.price:,.2f}"
        warn(f"{self.name}: {len(texts):,} terms, about {tokens:,} tokens, go to {self._address}; that {cost}.")

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts."""
        parts = [self._request(part) for part in self._requests(texts)]
        if len({part.shape[1] for part in parts}) > 1:
            raise TermgaugeError(f"{self._address}: answers with vectors of several lengths; it cannot be used.")
        return np.concatenate(parts)

    def _requests(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Cut texts that are too long, and part them into requests that are not."""
        part: list[str] = []
        tokens = 0
        for text, length in zip(texts, self.lengths(texts), strict=True):
            taken = min(length, self.max_length)
            if part and tokens + taken > self._endpoint.request_tokens:
                yield part
                part, tokens = [], 0
            part.append((self._endpoint.prompt + text)[: self.max_length * CHARACTERS_PER_TOKEN])
            tokens += taken
        yield part

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        body: dict[str, Any] = {"model": self._endpoint.model, "input": texts, "encoding_format": "float"}
        if self._endpoint.dimensions is not None:
            body["dimensions"] = self._endpoint.dimensions
        for attempt in range(1, ATTEMPTS + 1):
            self._keep_rate()
            try:
                return _vectors(self._post(body), len(texts), self._address)
            except _PassingError as error:
                if attempt == ATTEMPTS:
                    raise TermgaugeError(
                        f"{self._address}: {error}, {ATTEMPTS} times; the vectors so far are kept, so run the same "
                        "command again later."
                    ) from error
                time.sleep(_pause(attempt, error.pause))
        raise AssertionError

    def _keep_rate(self) -> None:
        if self._endpoint.rate:
            now = time.monotonic()
            if now < self._next_request:
                time.sleep(self._next_request - now)
            self._next_request = max(now, self._next_request) + 60 / self._endpoint.rate

    def _post(self, body: dict[str, Any]) -> Any:  # noqa: ANN401
        import requests

        try:
            response = self._session.post(self._address, json=body, timeout=TIMEOUT_SECONDS, allow_redirects=False)
        except requests.exceptions.Timeout as error:
            raise _PassingError("does not answer") from error
        except (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            raise _PassingError("there is no connection, or it was cut") from error
        except requests.exceptions.RequestException as error:
            raise TermgaugeError(f"{self._address}: cannot be asked ({type(error).__name__}).") from error
        if response.status_code != 200:
            self._refuse(response)
        try:
            return response.json()
        except ValueError as error:
            raise _PassingError("answers with something that is no JSON") from error

    def _refuse(self, response: requests.Response) -> None:
        status, said, code = response.status_code, *_said(response)
        message = f"answered {status} {response.reason}{f' ({said})' if said else ''}"
        if status in _PASSING_TROUBLES and code != "insufficient_quota":
            raise _PassingError(message, _retry_after(response.headers.get("Retry-After", "")))
        advice = {
            401: f"; put a good key into the environment variable {self._endpoint.key_variable}",
            403: f"; the key in {self._endpoint.key_variable} may not use this model",
            404: f"; look whether it has the model '{self._endpoint.model}' and whether ?base_url= ends as it should",
        }
        raise TermgaugeError(f"{self._address}: {message}{advice.get(status, '')}.")

    @cached_property
    def _session(self) -> requests.Session:
        import requests

        def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
            # As `auth`, not as a header, because a .netrc file would win over a header.
            if self._endpoint.key:
                request.headers["Authorization"] = f"Bearer {self._endpoint.key}"
            return request

        session = requests.Session()
        session.headers["User-Agent"] = f"termgauge/{version()}"
        session.auth = authorize
        return session


def _vectors(answer: Any, count: int, address: str) -> NDArray[np.float32]:  # noqa: ANN401
    """Return the vectors of an answer in the order of the question."""
    try:
        entries = sorted(answer["data"], key=lambda entry: int(entry["index"]))
        numbers = [entry["embedding"] for entry in entries]
        indices = [int(entry["index"]) for entry in entries]
    except (KeyError, TypeError, ValueError) as error:
        raise TermgaugeError(f"{address}: answers, but not as OpenAI's /embeddings does; is it another API?") from error
    if indices != list(range(count)):
        raise TermgaugeError(f"{address}: gave {len(indices)} vectors for {count} texts.")
    try:
        lengths = {len(vector) for vector in numbers}
        if len(lengths) != 1 or 0 in lengths:
            raise TermgaugeError(f"{address}: answers with vectors of several lengths; it cannot be used.")
        # A null is what some servers write for a number that is none; it must be seen as that.
        return np.array([[math.nan if each is None else each for each in vector] for vector in numbers], np.float32)
    except (TypeError, ValueError) as error:
        raise TermgaugeError(f"{address}: gives vectors that are no lists of numbers.") from error


def _said(response: requests.Response) -> tuple[str, str]:
    """Return what an endpoint says about an error, in one line, and its code."""
    try:
        error = response.json()["error"]
        said, code = (error["message"], error.get("code")) if isinstance(error, dict) else (error, "")
    except (ValueError, KeyError, TypeError):
        return "", ""
    return " ".join(str(said).split())[:200].rstrip("."), str(code or "")


def _retry_after(value: str) -> float | None:
    """Return the seconds that a Retry-After header asks to wait: a number, or a date."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _pause(attempt: int, asked: float | None) -> float:
    pause = PAUSE_SECONDS * 2 ** (attempt - 1) * random.uniform(0.75, 1.25) if asked is None else asked  # noqa: S311
    return min(pause, LONGEST_PAUSE_SECONDS)


def _base_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        good = False
    if not good:
        raise TermgaugeError(f"The base_url '{text}' is no address; write one such as http://localhost:8000/v1.")
    if parts.username or parts.password:
        raise TermgaugeError("The base_url must not hold a password; put the key into an environment variable.")
    return text.rstrip("/").removesuffix("/embeddings")


def _price(text: str) -> float | None:
    if not text:
        return None
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not 0 <= price < math.inf:
        raise TermgaugeError(f"The option 'price' is dollars for a million tokens, such as 0.02, not '{text}'.")
    return price


SCHEMES = (
    Scheme(
        "openai",
        "any endpoint that speaks OpenAI's /embeddings",
        ("terms",),
        load_openai,
        {
            "base_url": Option(f"The address; else {BASE_URL_VARIABLE}, else OpenAI's own."),
            "key_variable": Option("The environment variable that holds the key.", "text", "OPENAI_API_KEY"),
            "dimensions": Option("How many numbers a vector has, if the model lets you choose.", "integer", least=1),
            "prompt": PROMPT,
            "batch": Option("Terms in a request.", "integer", "256", least=1),
            "max_length": Option("Tokens after which a term is cut.", "integer", "8191", least=1),
            "request_tokens": Option("Tokens in a request.", "integer", "100000", least=1),
            "rate": Option("Requests a minute; 0 for no limit.", "integer", "0"),
            "price": Option("Dollars for a million tokens, to say beforehand what it costs."),
            "large": Option("From so many terms on, say beforehand how many tokens it is about.", "integer", "10000"),
            "store": STORE,
        },
        files="none",
        extra="openai",
        terms_per_second=50,
    ),
)
