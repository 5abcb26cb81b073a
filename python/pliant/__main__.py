"""`python -m pliant` and the command `pliant`."""

import sys

from pliant.cli import main

if __name__ == "__main__":
    sys.exit(main())
