"""Vectors from any endpoint that speaks OpenAI's ``/embeddings``, local or paid.

Requests are small and asked one after another; what may pass (too many requests, a server that stumbles, a cut
connection) is tried again after a pause, what will not is said at once, and whatever was paid for is on disk by then.

Nothing that a server sends is trusted: an answer has a limit in bytes, numbers and seconds, and its words reach people
only as a message, which shows neither control characters nor the key. The `openai` client has neither a deadline for a
whole answer nor a limit for its size, packed or unpacked; so requests are made here.
"""

from __future__ import annotations

import json
import math
import os
import random
import threading
import time
import zlib
from concurrent.futures import Future
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import numpy as np

from termgauge.embeddings.encoders.encoding import open_encoder
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.schemes import PROMPT, STORE, Option, Scheme
from termgauge.exceptions import ModelGivenUpError, TermgaugeError, keep_secret, one_line, warn
from termgauge.io.identity import version
from termgauge.plurals import numbered

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
CONNECT_SECONDS, SILENT_SECONDS = 10.0, 120.0
"""How long to wait for a connection, and for the next bytes; an option says how long for the whole answer."""
MOST_NUMBERS, MOST_BYTES, MOST_ERROR_BYTES = 1 << 14, 1 << 28, 1 << 16
"""Of a vector (the longest known have a quarter), of an answer, and of an answer that is an error."""
NUMBER_BYTES = 32
"""Of a number that is written out, and what stands between two, at most."""
CHARACTERS_PER_TOKEN = 4
"""About, for terms in Latin letters: what a token is only the endpoint knows."""

_PASSING_TROUBLES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_OF_THESE_TEXTS = frozenset({400, 413, 422})
"""Refusals of what was asked now; others are of whatever is asked."""
_BLOCK = 1 << 16


class _PassingError(Exception):
    """It failed, and another attempt may succeed."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


class _FinalError(Exception):
    """It failed, and so will every other attempt."""


class EndpointEncoder:
    """A `TextEncoder` that asks an endpoint."""

    def __init__(self, spec: ModelSpec) -> None:
        base_url, self._key, self._model = address_of(spec), _key(spec), spec.location
        self._key_variable, self._prompt = spec.text("key_variable"), spec.text("prompt")
        if not self._key and base_url == BASE_URL:
            raise TermgaugeError(
                f"{BASE_URL}: wants a key; put it into the environment variable {self._key_variable}, or name another "
                "endpoint with ?base_url=URL."
            )
        self.name, self.source = spec.name, f"{base_url} {self._model}"
        self.batch_size, self.max_length = spec.integer("batch"), spec.integer("max_length")
        self._dimensions = int(spec.text("dimensions") or 0)
        self._request_tokens, self._large = spec.integer("request_tokens"), spec.integer("large")
        self._rate, self._timeout = spec.integer("rate"), spec.integer("timeout")
        self._price = _price(spec.text("price"))
        shaping = ("dimensions", "max_length", "prompt")
        options = {"model": self._model, **{name: spec.text(name) for name in shaping}}
        self.identity = ModelIdentity.from_options("terms", "openai", base_url, options)
        self._address = f"{base_url}/embeddings"
        self._next_request = 0.0
        self._told_of_key = False

    @cached_property
    def dimension(self) -> int:
        """Numbers in a vector: as asked for, else as the endpoint gives for a first word."""
        return self._dimensions or self.encode_batch(["term"]).shape[1]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return about how many tokens each text has."""
        prompt = len(self._prompt)
        return [math.ceil((prompt + len(text)) / CHARACTERS_PER_TOKEN) for text in texts]

    def announce(self, texts: Sequence[str]) -> None:
        """Say before a large job how much it is and, if the price is known, what it costs."""
        if len(texts) < self._large:
            return
        tokens = sum(min(length, self.max_length) for length in self.lengths(texts))
        cost = "may cost money (give ?price=DOLLARS for a million tokens to see how much)"
        if self._price is not None:
            cost = f"costs about ${tokens / 1e6 * self._price:,.2f}"
        warn(
            f"{self.name}: {numbered(len(texts), 'term')}, about {numbered(tokens, 'token')}, go to {self._address}; "
            f"that {cost}."
        )

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts."""
        parts = [self._request(part) for part in self._requests(texts)]
        if len({part.shape[1] for part in parts}) > 1:
            raise TermgaugeError(f"{self._address}: gives vectors of several lengths; it cannot be used.")
        return np.concatenate(parts)

    def _requests(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Cut texts that are too long, and part them into requests that are not."""
        part: list[str] = []
        tokens = 0
        for text, length in zip(texts, self.lengths(texts), strict=True):
            taken = min(length, self.max_length)
            if part and tokens + taken > self._request_tokens:
                yield part
                part, tokens = [], 0
            part.append((self._prompt + text)[: self.max_length * CHARACTERS_PER_TOKEN])
            tokens += taken
        yield part

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        body: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._dimensions:
            body["dimensions"] = self._dimensions
        for attempt in range(1, ATTEMPTS + 1):
            if self._rate:
                now = time.monotonic()
                if now < self._next_request:
                    time.sleep(self._next_request - now)
                self._next_request = max(now, self._next_request) + 60 / self._rate
            try:
                return self._vectors(self._post(body, len(texts)), len(texts))
            except _FinalError as error:
                raise ModelGivenUpError(f"{self._address}: {error}.") from error
            except _PassingError as error:
                if attempt == ATTEMPTS:
                    raise ModelGivenUpError(
                        f"{self._address}: {error}, {ATTEMPTS} times, and is given up; the vectors so far are kept, so "
                        "run the same command again later."
                    ) from error
                pause = PAUSE_SECONDS * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)  # noqa: S311
                time.sleep(min(pause if error.pause is None else error.pause, LONGEST_PAUSE_SECONDS))
        raise AssertionError

    def _post(self, body: dict[str, Any], texts: int) -> Any:  # noqa: ANN401
        """Ask, and return the JSON of a good answer."""
        if self._key and not self._told_of_key:
            self._told_of_key = True
            host = urlsplit(self._address)
            readable = ", unencrypted" if host.scheme == "http" else ""
            warn(f"{self.name}: the key in {self._key_variable} goes to {host.netloc}{readable}.")
        numbers = texts * (self._dimensions or MOST_NUMBERS)
        answer = self._in_time(body, min(numbers * NUMBER_BYTES, MOST_BYTES) + MOST_ERROR_BYTES)
        if answer.count(b",") > numbers + MOST_ERROR_BYTES:
            raise _FinalError(f"answers with more numbers than {texts:,} vectors have")
        try:
            return json.loads(answer)
        except RecursionError:
            raise _FinalError("answers with JSON that is nested too deep to be vectors") from None
        except ValueError as error:
            if answer.lstrip()[:1] == b"<":
                raise _FinalError("answers with a page, which is no JSON; look whether ?base_url= is right") from error
            raise _PassingError("answers with something that is no JSON") from error

    def _in_time(self, body: dict[str, Any], most_bytes: int) -> bytes:
        """Return a good answer to a request, or give up when its time is over, however slowly something still comes."""
        answer: Future[bytes] = Future()

        def ask() -> None:
            try:
                answer.set_result(self._asked(body, most_bytes))
            except Exception as error:  # noqa: BLE001 - raised below, where it can be caught
                answer.set_exception(error)

        # A server that sends a byte now and then is never silent, so that no timeout of a socket ends it.
        threading.Thread(target=ask, daemon=True).start()
        try:
            return answer.result(self._timeout)
        except TimeoutError:
            self.__dict__.pop("_session", None)  # it is still in use
            raise _FinalError(
                f"did not finish its answer in {self._timeout} seconds; ask for fewer terms at once with ?batch=, or "
                "give it more time with ?timeout="
            ) from None

    def _asked(self, body: dict[str, Any], most_bytes: int) -> bytes:
        import requests
        import urllib3

        try:
            with self._session.post(
                self._address,
                json=body,
                timeout=(CONNECT_SECONDS, min(SILENT_SECONDS, self._timeout)),
                allow_redirects=False,
                stream=True,
            ) as response:
                good = response.status_code == 200
                content = _content(response, most_bytes if good else MOST_ERROR_BYTES)
                if not good:
                    self._refuse(response, content or b"")
                if content is None:
                    raise _FinalError(f"answers with more than {most_bytes >> 20:,} MB, which no vectors take")
                return content
        except (requests.exceptions.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise _PassingError("does not answer") from error
        except (requests.exceptions.ConnectionError, urllib3.exceptions.HTTPError) as error:
            raise _PassingError("gives no connection, or cuts it") from error
        except zlib.error as error:
            raise _PassingError("answers with damaged data") from error
        except (requests.exceptions.RequestException, UnicodeError) as error:
            raise _FinalError(f"cannot be asked ({type(error).__name__})") from error

    def _refuse(self, response: requests.Response, body: bytes) -> NoReturn:
        status, detail, code = response.status_code, *_said(body)
        message = one_line(f"answered {status} {response.reason or ''}".rstrip() + (f" ({detail})" if detail else ""))
        if status in _PASSING_TROUBLES and code != "insufficient_quota":
            raise _PassingError(message, _retry_after(response.headers.get("Retry-After", "")))
        if status in _OF_THESE_TEXTS:
            raise TermgaugeError(f"{self._address}: {message}.")
        variable = self._key_variable
        advice = {
            401: f"; put a good key into the environment variable {variable}",
            403: f"; {f'the key in {variable}' if self._key else 'who has no key'} may not use this model",
            404: f"; look whether it has the model '{self._model}' and whether ?base_url= ends as it should",
        }
        elsewhere = "; it points elsewhere, so name the address itself with ?base_url=" if 300 <= status < 400 else ""
        raise _FinalError(message + advice.get(status, elsewhere))

    def _vectors(self, answer: Any, count: int) -> NDArray[np.float32]:  # noqa: ANN401
        """Return the vectors of an answer in the order of the question."""
        try:
            data: list[Any] = answer["data"] if isinstance(answer["data"], list) else [None]
            entries = {_whole(entry["index"]): entry["embedding"] for entry in data}
        except (KeyError, TypeError, ValueError) as error:
            raise _FinalError(
                "answers, but not as OpenAI's /embeddings does; look whether it is another API"
            ) from error
        if len(data) != count:
            raise _FinalError(f"gave {len(data):,} vectors for {count:,} texts")
        if entries.keys() != set(range(count)):
            raise _FinalError(f"does not number its {count:,} vectors from 0 to {count - 1:,}, each once")
        no_lists = "gives vectors that are no lists of equally many numbers; it cannot be used"
        try:
            with np.errstate(over="ignore"):  # too large a number becomes infinity, which is said of its term
                # A null, which some servers write for a number that is none, becomes NaN.
                vectors = np.array([entries[at] for at in range(count)], np.float32)
        except OverflowError:
            raise _FinalError("gives numbers that are too large for a vector") from None
        except (TypeError, ValueError) as error:
            raise _FinalError(no_lists) from error
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise _FinalError(no_lists)
        if self._dimensions and vectors.shape[1] != self._dimensions:
            raise _FinalError(
                f"gives vectors of {vectors.shape[1]:,} numbers, not of the ?dimensions={self._dimensions} asked for"
            )
        return vectors

    @cached_property
    def _session(self) -> requests.Session:
        import requests

        def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
            # As `auth`, not as a header, because a .netrc file would win over a header.
            if self._key:
                request.headers["Authorization"] = f"Bearer {self._key}"
            return request

        session = requests.Session()
        session.headers.update({"User-Agent": f"termgauge/{version()}", "Accept-Encoding": "gzip, deflate"})
        session.auth = authorize
        return session


def _whole(number: object) -> int:
    """Return the number of a vector, which some servers write as 3.0 or "3"."""
    if isinstance(number, float) and not number.is_integer():
        raise ValueError(number)
    return int(number)  # type: ignore[call-overload, no-any-return]


def _content(response: requests.Response, most_bytes: int) -> bytes | None:
    """Return what an answer holds; None if that is more than so many bytes, of which no more are read or unpacked."""
    packed = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip", "deflate", ""):
        raise _FinalError(f"answers in the encoding '{packed}', which was not asked for")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed in ("gzip", "deflate") else None
    content = bytearray()
    for block in response.raw.stream(_BLOCK, decode_content=False):
        content += unpack.decompress(block, most_bytes + 1 - len(content)) if unpack else block
        if len(content) > most_bytes:
            return None
    if unpack and not unpack.eof:
        raise zlib.error("cut")
    return bytes(content)


def _said(body: bytes) -> tuple[str, str]:
    """Return what an endpoint says about an error, in one line, and its code."""
    try:
        error = json.loads(body)["error"]
        message, code = (error["message"], error.get("code")) if isinstance(error, dict) else (error, "")
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", ""
    return " ".join(one_line(str(message)).split())[:200].rstrip("."), str(code or "")


def _retry_after(value: str) -> float | None:
    """Return the seconds that a Retry-After header asks to wait: a number, or a date."""
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _key(spec: ModelSpec) -> str:
    """Return the key, if there is one; from now on no message shows it."""
    variable = spec.text("key_variable")
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    keep_secret(key)
    if not key and "key_variable" in dict(spec.options):
        raise TermgaugeError(f"The environment variable {variable}, which should hold the key, is not set or is empty.")
    if not all(" " <= letter <= "~" for letter in key):
        raise TermgaugeError(
            f"The key in the environment variable {variable} holds a line break or another character that no key has; "
            "copy it again."
        )
    return key


def address_of(spec: ModelSpec) -> str:
    """Return the address that is asked."""
    text = spec.text("base_url") or os.environ.get(BASE_URL_VARIABLE, "") or BASE_URL
    try:
        parts = urlsplit(text)
        good = text.isprintable() and parts.scheme in ("http", "https") and bool(parts.hostname)
        good = good and not parts.query and not parts.fragment
    except ValueError:
        good = False
    if not good:
        raise TermgaugeError(f"The base_url '{text}' is no address; write one such as http://localhost:8000/v1.")
    if parts.username or parts.password:
        raise TermgaugeError("The base_url must not hold a password; put the key into an environment variable.")
    return text.rstrip("/").removesuffix("/embeddings")


def _price(text: str) -> float | None:
    with suppress(ValueError):
        if not text or 0 <= float(text) < math.inf:
            return float(text) if text else None
    raise TermgaugeError(f"The option 'price' is dollars for a million tokens, such as 0.02, not '{text}'.")


SCHEMES = (
    Scheme(
        "openai",
        "any endpoint that speaks OpenAI's /embeddings",
        ("terms",),
        partial(open_encoder, EndpointEncoder),
        {
            "base_url": Option(f"The address; else {BASE_URL_VARIABLE}, else OpenAI's own."),
            "key_variable": Option(
                "The environment variable that holds the key; empty for no key.",
                "text",
                "OPENAI_API_KEY",
                names_variable=True,
            ),
            "dimensions": Option("How many numbers a vector has, if the model lets you choose.", "integer", least=1),
            "prompt": PROMPT,
            "batch": Option("Terms in a request.", "integer", "256", least=1),
            "max_length": Option("Tokens after which a term is cut.", "integer", "8191", least=1),
            "request_tokens": Option("Tokens in a request.", "integer", "100000", least=1),
            "rate": Option("Requests a minute; 0 for no limit.", "integer", "0"),
            "price": Option("Dollars for a million tokens, to say beforehand what it costs."),
            "timeout": Option(
                "Seconds after which an answer that is not complete is given up.", "integer", "300", least=1
            ),
            "large": Option("From so many terms on, say beforehand how many tokens it is about.", "integer", "10000"),
            "store": STORE,
        },
        files="none",
        extra="openai",
        sends_to=address_of,
        terms_per_second=50,
    ),
)
