"""The pictures of the how-to pages, by their own blocks: python docs/figures/how_to.py"""

import os
import re
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    os.chdir(HERE)
    for page in ("timetables", "changes", "frequencies"):
        text = (HERE.parent / "how-to" / f"{page}.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        last = max(place for place, block in enumerate(blocks) if ".save(" in block)
        scope: dict[str, object] = {}
        for block in blocks[: last + 1]:
            exec(block, scope)


if __name__ == "__main__":
    main()
