"""``python -m concolor`` is the command line."""

from concolor.cli import main

main()
