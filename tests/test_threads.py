"""How many threads, and how they wait."""

import os
import subprocess
import sys

import pytest
import torch

from concolor import threads
from concolor.threads import one_blas_thread, torch_threads, wait_quietly, worth


def test_small_work_gets_one_thread_and_large_work_the_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert (worth(threads.SMALL - 1), worth(threads.SMALL)) == (1, 3)
    for said, count in (("2", 2), ("8", 3), ("0", 3), ("many", 3)):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert worth(threads.SMALL) == count
        assert threads.two_cores() == 2
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads.two_cores() == 1


@pytest.mark.slow
@pytest.mark.parametrize("said", [{}, {"OMP_WAIT_POLICY": "ACTIVE"}, {"GOMP_SPINCOUNT": "7"}])
def test_waiting_is_set_before_torch_is_loaded_unless_the_user_says_otherwise(said):
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
    space = {k: v for k, v in os.environ.items() if k not in names} | said
    code = f"import os, concolor; print({{k: os.environ[k] for k in {names} if k in os.environ}})"
    done = subprocess.run([sys.executable, "-c", code], env=space, capture_output=True, text=True)
    assert eval(done.stdout) == (said or {"GOMP_SPINCOUNT": "1000"})


def test_a_loaded_torch_is_left_alone(monkeypatch):
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
        monkeypatch.delenv(name, raising=False)
    wait_quietly()
    assert "GOMP_SPINCOUNT" not in os.environ


def test_threads_of_torch_and_of_linear_algebra_are_put_back():
    before = torch.get_num_threads()
    with torch_threads(1), one_blas_thread():
        assert torch.get_num_threads() == 1
        assert all(
            part["num_threads"] == 1 for part in threads._blas().select(user_api="blas").info()
        )
    assert torch.get_num_threads() == before
