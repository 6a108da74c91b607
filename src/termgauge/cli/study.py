"""Commands about people's ratings: studies from the first pair to the published set, and the agreement of raters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from termgauge.cli.application import Answer, command, group, note, print_rows
from termgauge.cli.declared import Only
from termgauge.cli.options import DataDir
from termgauge.cli.report import Formats
from termgauge.exceptions import TermgaugeError
from termgauge.studies.options import (
    AgreementOptions,
    InviteOptions,
    LinkOptions,
    NewStudyOptions,
    ResultsOptions,
    ServeOptions,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.benchmark.pairset import PairSet
    from termgauge.studies.folder import Study
    from termgauge.studies.invitations import Invitation
    from termgauge.studies.results.compute import StudyResults

study = group(
    "study",
    """Let people rate pairs of terms, and make a benchmark of what they say.

    A study is a folder. The usual way: [bold]study new[/bold], change study.toml, [bold]study invite[/bold],
    [bold]study serve[/bold], [bold]study results[/bold]. [bold]termgauge study demo[/bold] shows the whole in a
    minute.""",
)
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The study's folder.")]


def _opened(folder: Path) -> Study:
    from termgauge.studies.folder import open_study

    return open_study(folder)


def _results(results: StudyResults, **more: str) -> Answer:
    return Answer(lambda: {**results.as_dict(), **more}, results.brief, results.written)


@study
def new(
    folder: Folder,
    options: NewStudyOptions,
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs",
            "-p",
            metavar="PAIRS.tsv|BENCHMARK",
            help="A table of pairs, the folder of a benchmark, or the id of a set.",
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="RUN", help="Instead of --pairs: a run folder with scores of at least two models."
        ),
    ] = None,
    disagreeing: Annotated[
        int | None,
        typer.Option(
            min=1, help="With --from: take so many pairs, those on which the models disagree most.", show_default="200"
        ),
    ] = None,
    data_dir: DataDir = None,
    *,
    links: Annotated[LinkOptions, Only(["expire_after"])],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Begin without asking whether the plan is right.")] = False,
) -> Answer:
    """Begin a study: write study.toml to be changed, the pairs, who sees which pair when, and an empty database.

    The plan is shown before it is fixed: how many pairs and minutes it asks of a rater, and how well agreement will be
    known. On a terminal you are asked whether it is right.

    Examples: [dim]termgauge study new nouns --pairs pairs.tsv --raters 3[/dim];
    [dim]termgauge study new check --pairs BENCHMARK --kind quality[/dim];
    [dim]termgauge study new disputed --from RUN --disagreeing 200 --dry-run[/dim].
    """
    from dataclasses import asdict

    from termgauge.studies.folder import plan_study
    from termgauge.studies.status import begun_section, summary

    planned = plan_study(folder, _pairs_for(pairs, run, disagreeing, options), options, data_dir)
    plan = planned.workload
    if dry_run:
        return Answer(lambda: {"plan": asdict(plan)}, lambda: [plan.section()])
    if not yes and sys.stdin.isatty() and sys.stderr.isatty():
        question = "\n".join((*plan.sentences(), "Begin this study?"))
        if not typer.confirm(question, default=True, err=True):
            raise TermgaugeError("The study was not begun and nothing was written; change the options and try again.")
    made = planned.begin()
    with made.store() as store:
        admin = store.new_admin_token(links.expire_after)
    return Answer(
        lambda: {**summary(made), "plan": asdict(plan), "admin": f"/admin/{admin}"},
        lambda: [plan.section(), begun_section(made, admin)],
    )


def _pairs_for(pairs: str | None, run: Path | None, disagreeing: int | None, options: NewStudyOptions) -> str | PairSet:
    """Return what is rated: what somebody named, or the pairs of a run on which models disagree."""
    if (pairs is None) == (run is None):
        raise TermgaugeError("Name the pairs with --pairs, or a run to take them from with --from; one of both.")
    if run is None:
        if disagreeing is not None:
            raise TermgaugeError("--disagreeing takes pairs out of a run; name it with --from RUN.")
        return pairs or ""
    from termgauge.engine.run_folder import open_run
    from termgauge.studies.pairs import PAIRS, disagreeing_pairs

    if options.kind == "quality":
        raise TermgaugeError(
            "A quality study draws from sets with labels; leave out --from and name them with --pairs."
        )
    return disagreeing_pairs(open_run(run).scored(), disagreeing or PAIRS, options.seed)


@study
def invite(folder: Folder, options: InviteOptions) -> Answer:
    """Invite raters: print a secret link for each, which is stored nowhere. Send it to that rater only.

    The server may run meanwhile. Links begin with the address where it runs or last ran.

    Examples: [dim]termgauge study invite nouns --group 1 --name Anna --name Ben[/dim];
    [dim]termgauge study invite nouns --count 12 --public-url https://study.example.org[/dim];
    [dim]termgauge study invite nouns --reissue r3[/dim].
    """
    from dataclasses import asdict

    from termgauge.studies import invitations
    from termgauge.studies.server.serving import address_of, checked_url

    opened = _opened(folder)
    served = address_of(opened.folder)
    base = checked_url(options.public_url) or served or address_of(opened.folder, or_last=True) or invitations.LOCAL
    names: list[str | None] = [*options.name, *[None] * (options.count or 0)]
    if not (names or options.reissue or options.revoke or options.admin):
        names = [None]
    made, admin = invitations.make_links(
        opened, names=names, base=base, days=options.expire_after,
        **options.model_dump(include={"group", "reissue", "revoke", "admin"}),
    )  # fmt: skip
    document = {"raters": [asdict(invitation) for invitation in made], "revoked": options.revoke, "admin": admin}
    if not (options.public_url or served) and (made or admin):
        why = "where the study was served last" if base != invitations.LOCAL else "which only this machine reaches"
        note(f"Note: links begin with {base}, {why}; --public-url changes that, and study serve --links prints others.")
    rows = _links(made, admin, [f"{rater}\trevoked" for rater in options.revoke], qr=options.qr)
    return Answer(lambda: document, lambda: "\n".join(rows))


def _links(made: list[Invitation], admin: str | None, others: Sequence[str] = (), *, qr: bool) -> list[str]:
    """Return a row for each link, the administrator's last, each with its QR code if that is wanted."""
    from termgauge.studies.invitations import qr_text

    def row(text: str, link: str) -> str:
        return f"{text}\n{qr_text(link)}" if qr else text

    sent = ((f"{one.rater}\tgroup {one.group}\t{one.name or ''}\t{one.link}", one.link) for one in made)
    return [*(row(*pair) for pair in sent), *others, *([row(admin, admin)] if admin else [])]


@study
def serve(folder: Folder, options: ServeOptions) -> None:
    """Serve a study to its raters until Ctrl-C; every answer is on the disk before the page says so.

    For raters elsewhere, let a web server with https pass requests on, and name its address.

    Examples: [dim]termgauge study serve nouns[/dim]; [dim]termgauge study serve nouns --port 8080 --links[/dim];
    [dim]termgauge study serve nouns --public-url https://study.example.org --proxy 127.0.0.1[/dim].
    """
    from termgauge.studies.invitations import further_links
    from termgauge.studies.server.serving import serve as run

    opened, host = _opened(folder), options.host

    def ready(address: str) -> None:
        print_rows(address)
        if options.links or options.qr:
            made = further_links(opened, base=address, days=options.expire_after)
            print_rows("\n".join(_links(*made, qr=options.qr)))
        note("Raters come by the links that termgauge study invite prints. Ctrl-C ends the server.")
        if address.startswith("http:") and host not in ("127.0.0.1", "localhost", "::1"):
            note("Note: links and answers travel unencrypted; let a web server with https pass requests on.")

    run(
        opened, host=host, port=options.port, public_url=options.public_url, proxies=options.proxy,
        expire_after=options.expire_after, ready=ready,
    )  # fmt: skip


@study
def sheets(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.", show_default=False)],
) -> Answer:
    """Write sheets for raters who cannot reach the server: CSV files to fill in, and the instructions.

    There is an empty sheet for each group, and one for each rater who was invited, with the answers so far. What comes
    back is read by [bold]study import[/bold].

    Example: [dim]termgauge study sheets nouns --out for-anna[/dim].
    """
    files = [str(path) for path in _opened(folder).sheets(out)]
    return Answer(lambda: {"files": files}, lambda: "\n".join(files))


@study
def import_(
    folder: Folder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Sheets that raters filled in (CSV).")],
    rater: Annotated[
        str | None,
        typer.Option(metavar="NAME|ID", help="Whose sheets these are.", show_default="each file's own name"),
    ] = None,
    to_group: Annotated[
        int | None,
        typer.Option("--group", min=1, help="The group of a new rater.", show_default="the one of the pairs"),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the sheet's answers where others were given before.")
    ] = False,
) -> Answer:
    """Store the answers of sheets that raters filled in, after the same checks as on the page.

    Commas, semicolons and tabs, decimal commas, other line ends and another order of rows are all understood.
    Everything that is wrong is told with its line; then nothing is stored.

    Examples: [dim]termgauge study import nouns anna.csv ben.csv[/dim];
    [dim]termgauge study import nouns back.csv --rater r3[/dim].
    """
    from dataclasses import asdict

    from termgauge.studies.status import imported_section

    done = _opened(folder).import_sheets(files, rater=rater, group=to_group, replace=replace)
    return Answer(lambda: {"imported": [asdict(record) for record in done]}, lambda: [imported_section(done)])


@study
def status(folder: Folder) -> Answer:
    """Show who is how far, and whose answers are worth a look.

    Example: [dim]termgauge study status nouns --json[/dim].
    """
    state = _opened(folder).status()
    return Answer(state.to_json, state.sections)


@study
def erase(
    folder: Folder,
    rater: Annotated[str, typer.Argument(metavar="RATER", help="The id of the rater, such as r3.")],
    by: Annotated[
        str | None, typer.Option(help="Who erases, for the record.", show_default="the name you are logged in by")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
) -> Answer:
    """Erase the answers and the name of a rater for good, when they ask for it; their link no longer works.

    That it was done, when and by whom is kept; study status --json shows it. The server may run meanwhile. Copies,
    exports, sheets and results that were written before are not reached: delete them, or write them anew.

    Example: [dim]termgauge study erase nouns r3 --reason "asked for it by mail"[/dim].
    """
    from getpass import getuser

    try:
        who = by or getuser()
    except (KeyError, OSError, ImportError):
        raise TermgaugeError("This machine has no name for you; say who erases with --by NAME.") from None
    _opened(folder).erase(rater, by=who, reason=reason)
    note("Note: copies, exports, sheets and results that were written before still hold these answers.")
    return Answer(lambda: {"erased": rater}, lambda: f"{rater}\terased")


@study
def export(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write.", show_default="standard output")
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also answers that were changed later, with when and from where.")
    ] = False,
    left_out: Annotated[bool, typer.Option("--left-out", help="Also raters whom the administrator left out.")] = False,
    adjudications: Annotated[
        bool,
        typer.Option(
            "--adjudications", help="Instead of answers: what was decided about pairs on which raters disagree."
        ),
    ] = False,
) -> Answer:
    """Write the answers so far as a table; raters stand in it by their ids, never by their names.

    [bold]termgauge agreement[/bold] reads it.

    Example: [dim]termgauge study export nouns --out answers.tsv[/dim].
    """
    from termgauge.io.atomic import write_text
    from termgauge.studies.status import answer_text

    opened = _opened(folder)
    if adjudications:
        table = opened.adjudications(history=history)
    else:
        table = opened.export(history=history, include_left_out=left_out)
    if out is not None:
        write_text(out, answer_text(table))
        note(f"Written: {out}")
    return Answer(
        lambda: {"adjudications" if adjudications else "answers": table.to_dicts()},
        lambda: answer_text(table) if out is None else None,
    )


@study
def results(
    folder: Folder,
    options: ResultsOptions,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The folder to write to.", show_default="results in the study's folder"),
    ] = None,
    formats: Formats = None,
) -> Answer:
    """Write the results of a study: a scored set that loads wherever a benchmark does, and a page with pictures.

    A similarity study gives scores.tsv (scores from 0 to 10) with the ratings beside it; a quality study truth.tsv and
    how right the labels of each set are. results.json has all statistics.

    Examples: [dim]termgauge study results nouns[/dim];
    [dim]termgauge study results nouns --rule simlex --format html,latex[/dim].
    """
    from termgauge.studies.results.compute import study_results

    return _results(study_results(folder, out=out, formats=formats or ["html"], **options.changed()))


@study
def demo(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The folder to make.", show_default="a temporary one")
    ] = None,
    kind: Annotated[str, typer.Option(help="similarity or quality.")] = "similarity",
    raters: Annotated[
        int | None, typer.Option(min=3, max=200, help="How many made raters there are.", show_default="12, or 5")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for all random choices.")] = 42,
    serve_it: Annotated[
        bool, typer.Option("--serve", help="Then invite you as a rater, and serve the study until Ctrl-C.")
    ] = False,
) -> Answer:
    """Show a whole study in under a minute, with made raters: nobody stands behind these ratings.

    A small study is made; made raters answer it, one of whom does not read; and the results are written.

    Examples: [dim]termgauge study demo[/dim]; [dim]termgauge study demo shown --serve[/dim].
    """
    from termgauge.studies.demo import demonstrate

    made = demonstrate(folder, kind=kind, raters=raters, seed=seed)
    where = made.study.folder

    def serve_to_guest() -> None:
        from termgauge.studies.invitations import make_links
        from termgauge.studies.server.serving import serve as run

        def ready(address: str) -> None:
            (guest,), admin = make_links(made.study, names=["guest"], group=1, admin=True, base=address)
            note(f"Note: rate yourself at {guest.link}")
            note(f"Note: watch as the administrator at {admin} (Ctrl-C ends the server)")

        run(made.study, port=0, ready=ready)

    hint = f"Note: to rate yourself: termgauge study invite {where} && termgauge study serve {where}"
    return _results(made.results, folder=str(where))._replace(then=serve_to_guest if serve_it else lambda: note(hint))


@command
def agreement(
    ratings: Annotated[
        Path,
        typer.Argument(
            metavar="RATINGS",
            help="A CSV or TSV table: the answers of a study, pair rater rating, or word1 word2 and a column "
            "for each rater.",
            show_default=False,
        ),
    ],
    options: AgreementOptions,
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Also write a page.")] = None,
) -> Answer:
    """Say how far raters agree, who is left out, and how well a model can do at most.

    For each rater: the agreement with each other rater (IAA-1) and with the mean of the others (IAA-2), and signs of
    carelessness. For all: Krippendorff's alpha, the reliability of mean ratings, and how many raters or pairs an
    interval of a wanted width takes.

    Example: [dim]termgauge agreement ratings.tsv --scale 0,6[/dim].
    """
    from termgauge.reporting.writers.html import write_html
    from termgauge.studies.agreement.compute import agreement as measure

    result = measure(ratings, **options.changed())
    if page is not None:
        write_html(result.document(), page)
    return Answer(result.as_dict, result.document, [page] if page else ())
