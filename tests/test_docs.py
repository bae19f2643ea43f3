"""The pages that are made from the code or run as code: tutorial, command line, interface."""

import io
import json
import re
import runpy
import shlex
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest

import concolor as cc
from shell import concolor

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ROOMS = ("docs", "benchmarks", "results", "examples")
PAGES = [  # all that the site shows, see docs/conf.py
    *sorted(ROOT.glob("*.md")),
    *sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.md")),
    DOCS / "notebook.ipynb",
]
RUN = {  # pages whose blocks are run, and the files that they make
    "tutorial.md": {
        *("meetings.sol", "meetings.svg", "meetings.html", "report.html"),
        *("training.svg", "school.safetensors", "two.safetensors"),
    },
    "index.md": {"report.html", "proof.json"},
    "how-to/timetables.md": {"exams.svg"},
    "how-to/changes.md": {"changes.svg"},
    "how-to/registers.md": set(),
    "how-to/frequencies.md": {"frequencies.svg", "wifi.svg"},
    "how-to/quantum.md": set(),
    "how-to/research.md": set(),
    "how-to/cluster.md": set(),
}


def blocks(text):
    """The fenced blocks of a page: (language, content)."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_the_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope, printed = {}, ""
    found = blocks((DOCS / page).read_text(encoding="utf-8"))
    assert {"python", "text"} <= {language for language, _ in found} <= {"python", "text", "shell"}
    for language, content in found:
        if language == "text":
            assert printed == content
        elif language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(content, scope)
            printed = out.getvalue()
        else:
            for line in content.splitlines():
                name, *words = shlex.split(line)
                code, out, err = concolor(*words)
                assert name == "concolor" and code == 0 and out, (line, err)
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} >= RUN[page]


@pytest.mark.parametrize("page", RUN)
def test_what_a_block_prints_is_shown(page):
    """A block that prints is followed by its output, so that nothing of it goes unchecked."""
    found = blocks((DOCS / page).read_text(encoding="utf-8"))
    for (language, content), (after, _) in zip(found, [*found[1:], ("", "")], strict=True):
        if language == "python":
            assert ("print(" in content) == (after == "text"), content


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_notebook_runs_and_shows_what_it_says(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    written = nbformat.read(DOCS / "notebook.ipynb", as_version=4)
    again = nbformat.read(DOCS / "notebook.ipynb", as_version=4)
    nbclient.NotebookClient(
        again, timeout=300, resources={"metadata": {"path": tmp_path}}
    ).execute()
    for cell, run in zip(written.cells, again.cells, strict=True):
        if cell.cell_type == "code":
            (output,), (made,) = cell.outputs, run.outputs
            assert made.data["text/plain"] == output.data["text/plain"], cell.source
            assert set(made.data) == set(output.data), cell.source
    kinds = [set(cell.outputs[0].data) for cell in written.cells if cell.cell_type == "code"]
    assert sum("text/html" in kind for kind in kinds) >= 4


@pytest.fixture(scope="module")
def generator():
    return runpy.run_path(str(DOCS / "generate.py"))


@pytest.mark.parametrize("page", ["cli.md", "api.md"])
def test_the_references_say_what_the_code_says(generator, page):
    made = generator["PAGES"][page]()
    assert made == (DOCS / page).read_text(encoding="utf-8"), "run: python docs/generate.py"


@pytest.mark.slow
def test_every_command_and_option_is_in_the_reference():
    from concolor.cli import app

    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    sections = dict(
        re.findall(r"^## concolor (\w+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    )
    assert list(sections) == [command.name for command in app.registered_commands]
    for name, section in sections.items():
        code, out, _ = concolor(name, "--help")
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", out.partition("Options:")[2]))
        assert code == 0 and options - {"--help"} <= set(re.findall(r"--[a-z-]+", section))


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    from concolor import viz

    wanted = [f"cc.{name}" for name in cc.__all__] + [f"viz.{name}" for name in viz.__all__]
    assert set(wanted) <= set(re.findall(r"^### (\S+)$", text, re.MULTILINE))


def test_every_registry_is_where_the_reference_says(generator):
    from concolor.cli.listing import KINDS

    for kind, path in generator["REGISTRIES"].items():
        home, _, name = path.rpartition(".")
        assert list(getattr(import_module(home), name)) == list(KINDS[kind]())


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """To a file of the repository and, where a heading is named, to that heading of the page."""
    for place, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", prose(page)):
        if "://" not in place:
            target = (page.parent / place).resolve() if place else page
            assert target.is_file() and target.is_relative_to(ROOT), place
            assert not heading or heading in anchors(prose(target)), f"{place}#{heading}"


def test_the_readme_links_every_benchmark():
    """A page that a script wrote is to be found, and none is promised that was not written."""
    linked = re.findall(r"\]\(benchmarks/([^)#]*)\)", prose(ROOT / "README.md"))
    assert {path.name for path in (ROOT / "benchmarks").glob("*.md")} == set(linked)


def test_every_page_of_the_how_tos_is_run():
    assert {f"how-to/{path.name}" for path in DOCS.glob("how-to/*.md")} <= set(RUN)


def prose(page):
    """The Markdown of a page without its blocks of code; of a notebook, that of its cells."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """What the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_figures_of_reliability_are_those_of_the_committed_lines(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    page = DOCS / "reliability.md"
    assert import_module("reliability").page(page.read_text()) == page.read_text()
