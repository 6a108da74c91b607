"""A real kernel, as notebooks have it: cells run in a process of their own, and what it says is kept."""

from __future__ import annotations

import nbformat
from docs.make_notebooks import environment
from nbclient import NotebookClient


class Client(NotebookClient):
    """Runs a notebook and keeps all messages about outputs, also of those that were replaced."""

    def __init__(self, notebook, folder):
        super().__init__(
            notebook,
            timeout=300,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            ipython_hist_file="",
        )
        self.said = []

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] in ("display_data", "update_display_data", "stream", "error"):
            self.said.append((msg["msg_type"], msg["content"]))
        return super().process_message(msg, cell, cell_index)

    def texts(self, kind=None):
        """Return the plain text of what was displayed, in order."""
        shown = ("display_data", "update_display_data") if kind is None else (kind,)
        return [content["data"]["text/plain"] for said, content in self.said if said in shown]

    def stderr(self):
        return "".join(
            content["text"] for said, content in self.said if said == "stream" and content["name"] == "stderr"
        )


def run_notebook(notebook, folder, **told):
    """Run all cells of a notebook in a folder, put their outputs into it, and return who ran it."""
    client = Client(notebook, folder)
    client.execute(env={**environment(folder), **told})
    return client


def run_cells(folder, *cells, **told):
    """Run some cells in a kernel of their own, and return who ran them."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    return run_notebook(notebook, folder, **told)
