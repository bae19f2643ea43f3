"""Newton's method with sparse derivatives by differences: a few calls instead of one a variable.

The Jacobian of a function f: columns of one color are moved together, ``J S ~ (f(x + h S) - f(x)) /
h``. The Hessian of a function with gradient g is symmetric, so fewer colors do: a star coloring for
direct recovery, an acyclic one for substitution. With jax the products are exact:
``jax.vmap(lambda s: jax.jvp(f, (x,), (s,))[1])(S.T).T``.

python examples/derivatives.py [SIDE]
"""

import sys
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import concolor as cc

STEP = 1e-6


def main(side: str = "24") -> None:
    flame(int(side))
    film(int(side))


def flame(side: int) -> None:
    """Bratu's equation ``-Laplace(u) = 3 exp(u)`` on a square: the Jacobian of a function."""
    laplace, area = laplacian(side), (side + 1) ** -2.0
    calls = Counted(lambda u: laplace @ u - 3 * area * np.exp(u))
    coloring = cc.color_matrix(laplace)
    u, steps = newton(calls, np.zeros(side**2), coloring)
    slope = laplace - sp.diags_array(3 * area * np.exp(u))
    count = calls.count
    off = np.abs(differences(calls, u, calls(u), coloring) - slope).max()
    print(f"Bratu's equation, {side**2} unknowns: {steps} steps, highest {u.max():.4f}")
    print(f"  column: {coloring.k} colors, {count} calls of the function, error {bound(off)}")


def film(side: int) -> None:
    """A soap film in a bent frame: the Hessian of its area, from the gradient."""
    near = sp.diags_array(np.ones((3, side)), offsets=[-1, 0, 1], shape=(side, side))
    pattern = sp.kron(near, near)  # the corners of a cell see each other
    for kind in ("column", "star", "acyclic"):
        coloring = cc.color_matrix(pattern, kind)
        calls = Counted(lambda u: area_gradient(u, side))
        u, steps = newton(calls, np.zeros(side**2), coloring)
        if kind == "column":
            lowest, highest = u.min(), u.max()
            print(
                f"Soap film, {side**2} unknowns: {steps} steps, from {lowest:.4f} to {highest:.4f}"
            )
        print(f"  {kind}: {coloring.k} colors, {calls.count} gradients")


def newton(
    f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, coloring: cc.MatrixColoring
) -> tuple[np.ndarray, int]:
    """A zero of f, and the steps to it."""
    for step in range(50):
        now = f(x)
        if np.abs(now).max() < 1e-9:
            return x, step
        x = x - spsolve(differences(f, x, now, coloring).tocsc(), now)
    raise ValueError("50 steps of Newton's method are not enough")


def differences(
    f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, now: np.ndarray, c: cc.MatrixColoring
) -> sp.csr_array:
    """The derivatives ``[m, n]`` of f at x, where ``now = f(x)``, by one more call a color."""
    moved = [f(x + STEP * direction) - now for direction in c.seeds.T]
    return c.decompress(np.stack(moved, axis=1) / STEP)


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self.function, self.count = function, 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.count += 1
        return self.function(x)


def laplacian(side: int) -> sp.csr_array:
    """Five points on a square grid: 4 in the middle, -1 at the neighbors."""
    line = sp.diags_array(
        [-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], offsets=[-1, 0, 1]
    )
    one = sp.eye_array(side)
    return sp.csr_array(sp.kron(line, one) + sp.kron(one, line))


def area_gradient(u: np.ndarray, side: int) -> np.ndarray:
    """Derivative of the area ``sum over cells of sqrt(h^2 + a^2 + b^2)``, a and b the slopes of a
    cell times h, by the heights ``u [side^2]`` inside the frame."""
    edge = np.linspace(-1, 1, side + 2)
    heights = edge[:, None] ** 2 - edge**2  # of the frame
    heights[1:-1, 1:-1] = u.reshape(side, side)
    a = (heights[1:, 1:] + heights[1:, :-1] - heights[:-1, 1:] - heights[:-1, :-1]) / 2
    b = (heights[1:, 1:] - heights[1:, :-1] + heights[:-1, 1:] - heights[:-1, :-1]) / 2
    root = np.sqrt((2 / (side + 1)) ** 2 + a**2 + b**2)
    along, across = a / root / 2, b / root / 2
    gradient = np.zeros_like(heights)
    gradient[1:, 1:] += along + across
    gradient[1:, :-1] += along - across
    gradient[:-1, 1:] -= along - across
    gradient[:-1, :-1] -= along + across
    return gradient[1:-1, 1:-1].ravel()


def bound(error: float) -> str:
    """The power of ten above an error."""
    return f"1e{int(np.ceil(np.log10(max(error, 1e-15)))):+03}"


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
