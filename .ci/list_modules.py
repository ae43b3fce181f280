"""Lists every module with its first sentence, for `make map`; a word leaves only the lines that contain it."""

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "qrkit"

word = "".join(sys.argv[1:]).lower()
for path in sorted(PACKAGE.rglob("*.py")):
    text = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0].replace("\n", " ")
    line = f"{path.relative_to(PACKAGE)!s:45} {text}"
    if word in line.lower():
        print(line)
