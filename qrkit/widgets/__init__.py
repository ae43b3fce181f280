"""Widgets for notebooks: `Designer`, with which a code is designed by hand.

>>> from qrkit.widgets import Designer
>>> studio = Designer("https://example.com")
>>> studio.design.size
8
>>> studio.close()
"""

from qrkit.widgets.designer import Designer

__all__ = ["Designer"]
