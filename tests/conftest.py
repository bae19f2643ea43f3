"""One thread a test process, set before numpy and torch load: tests run side by side."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
