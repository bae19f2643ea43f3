"""The page that maps the paper to the code names all that is public here; its figure is there."""

from pathlib import Path

from concolor import theory

PAGE = Path(__file__).parents[2] / "docs" / "theory.md"


def test_every_public_name_stands_in_the_map():
    text = PAGE.read_text(encoding="utf-8")
    missing = [name for name in theory.__all__ if f"`{name}" not in text]
    assert not missing


def test_the_figure_is_committed_with_its_script():
    assert "figures/dynamics.svg" in PAGE.read_text(encoding="utf-8")
    assert (PAGE.parent / "figures" / "dynamics.svg").is_file()
    assert (PAGE.parent / "figures" / "dynamics.py").is_file()
