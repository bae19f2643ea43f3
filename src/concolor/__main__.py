"""``python -m concolor`` is the command line."""

from concolor_start import main

main()
