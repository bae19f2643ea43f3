"""docs/matrices.md runs and prints what it says."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "matrices.md"


def test_the_page_runs_and_prints_what_it_says():
    text = PAGE.read_text(encoding="utf-8")
    code, printed = re.findall(r"^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    scope = {}
    with redirect_stdout(io.StringIO()) as out:
        exec(code, scope)
    assert out.getvalue() == printed
    x, n = scope["x"], scope["n"]
    truth = np.diag(2 * x) + np.diag(3 - np.append(x[2:], 0), -1) - np.diag(np.append(0, x[:-2]), 1)
    np.testing.assert_allclose(scope["jacobian"].toarray(), truth, atol=1e-5)
    assert truth.shape == (n, n)
