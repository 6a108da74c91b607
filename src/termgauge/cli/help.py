"""The help of a command: each option on a line of its own, what it does below, so that nothing is cut at 80 columns."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand

WIDEST = 100


class HelpedCommand(TyperCommand):
    """A command whose help is written so."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - typer carries its own copy of click
        """Print usage, what the command does, its arguments and options, and what goes with every command."""
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        console.width = min(console.width, WIDEST)

        def say(text: Text, indent: int) -> None:
            for line in text.wrap(console, console.width - indent, overflow="fold"):
                line.rstrip()
                console.print(Text(" " * indent).append_text(line), soft_wrap=True)

        console.print()
        usage = " ".join([ctx.command_path, *self.collect_usage_pieces(ctx)])
        say(Text.assemble(("Usage: ", "yellow"), (usage, "bold")), 1)
        for part in filter(None, (self.help or "").split("\n\n")):
            console.print()
            say(Text.from_markup(part), 1)
        parameters = self.get_params(ctx)
        for heading in ("Arguments", "Options"):
            shown = [
                parameter
                for parameter in parameters
                if isinstance(parameter, TyperArgument) == (heading == "Arguments")
            ]
            records = [record for parameter in shown if (record := parameter.get_help_record(ctx))]
            if records:
                console.print()
                say(Text(heading, "bold"), 1)
            for names, about in records:
                say(Text(names, "cyan"), 2)
                say(Text(about.replace("  [", " [")), 8)
        if self.epilog:
            console.print()
            say(Text.from_markup(self.epilog), 1)
        console.print()
