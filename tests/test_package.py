"""The package as a whole: its public names, what it loads, its README."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import concolor

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "concolor"
FILES = sorted(SOURCE.rglob("*.py"))

TORCH = {"encoders", "learning"}  # rooms that may load torch on import
NEURAL = {"pi_gnn.py", "full_gcn.py", "neural.py"}  # solvers that may


def imports(path):
    """Modules that a file imports, with whether it does so on import."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {id(inner) for block in ast.walk(tree) if waits(block) for inner in ast.walk(block)}
    for node in ast.walk(tree):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from ((name, id(node) not in late) for name in names if name)


def waits(node):
    """Whether what is inside runs later than on import, or never."""
    checking = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef) or checking


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_torch_is_loaded_where_it_is_needed_and_nowhere_else(path):
    """That rooms import in one direction only is checked by import-linter, see pyproject.toml."""
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    loads = {name.split(".")[0] for name, at_once in imports(path) if at_once}
    if room not in TORCH and path.name not in NEURAL:
        assert not loads & {"torch", "torch_geometric", "safetensors"}, f"{path} loads {loads}"
    assert "torch_geometric" not in loads or room == "encoders"


def test_all_names_the_public_names_and_each_is_there():
    assert concolor.__all__ == sorted(concolor.__all__)
    for name in concolor.__all__:
        assert getattr(concolor, name) is not None
    assert set(concolor.__all__) <= set(dir(concolor))
    with pytest.raises(AttributeError, match="colour"):
        concolor.colour  # noqa: B018


def test_the_citation_names_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {concolor.__version__}\n" in text


@pytest.mark.slow
def test_importing_graph_rooms_loads_no_torch():
    program = (
        "import sys, concolor as cc\n"
        "cc.read, cc.dsatur(cc.family('queen:5x5')), cc.null, cc.sweep, cc.Recipe, cc.write\n"
        "cc.dataset('cycles')\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.slow
def test_without_torch_the_models_color_and_training_names_the_extra():
    """``make dist`` tries much more of it, in an environment that really has no torch."""
    program = (
        "import sys, pytest\n"
        "sys.modules['torch'] = sys.modules['torch_geometric'] = None  # as if not installed\n"
        "import concolor as cc\n"
        "graph = cc.family('queen:5x5')\n"
        "assert cc.color(graph, max_mono=0.05, polish=False).k\n"
        "assert cc.certify(graph).is_proved\n"
        "for name in ('Colorer', 'evaluate'):\n"
        "    with pytest.raises(ImportError, match=r'needs torch.*concolor\\[learn\\]'):\n"
        "        getattr(cc, name)\n"
        "with pytest.raises(cc.ConcolorError, match=r'concolor\\[learn\\]'):\n"
        "    cc.solve(graph, 'pi-gnn')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def blocks(file):
    return re.findall(r"```python\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope, found = {}, blocks(ROOT / "README.md")
    assert len(found) == 2
    for block in found:
        exec(block, scope)
    assert scope["same"].color(scope["g"], k=3).k <= 3


def test_the_encoder_of_the_docs_works():
    import textwrap

    import torch

    from concolor.encoders import Sizes

    text = (ROOT / "docs" / "adding-an-encoder.md").read_text(encoding="utf-8")
    block, _plugin = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scope = {}
    exec(textwrap.dedent(block), scope)
    encoder = scope["difference"](Sizes(in_channels=3, hidden=8))
    z = encoder(torch.rand(4, 3), torch.tensor([[0, 1], [1, 0]]))
    torch.testing.assert_close(z.norm(dim=1), torch.ones(4))
    graphs = [concolor.family("cycle:8")]
    colorer = concolor.Colorer(
        concolor.Recipe(encoder=scope["difference"], hidden=8, epochs=1)
    ).fit(graphs)
    assert colorer.embed(graphs[0]).shape == (8, 8)


def test_the_commands_of_the_readme_are_ours():
    from concolor.cli import app

    known = {command.name for command in app.registered_commands}
    for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        used = re.findall(r"^    concolor (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(used) <= known
