"""Lists every module with its first sentence, for `make map`; words leave only the lines that contain them."""

import ast
import signal
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "qrkit"

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end without a word when `head` has seen enough
words = " ".join(sys.argv[1:]).lower()
lines = []
for path in sorted(PACKAGE.rglob("*.py")):
    text = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0].replace("\n", " ")
    lines.append(f"{path.relative_to(PACKAGE)!s:45} {text}")
print("\n".join(line for line in lines if words in line.lower()) or f"no module says {words!r}")
