"""qrkit: design QR Codes, make them trackable, and understand the scans.

The ten lines that matter most:

    >>> import qrkit
    >>> image = qrkit.generate("https://example.com", ec="H")
    >>> image.symbol
    <Symbol 3-H, byte, mask 3, 29 x 29 modules>
"""

from __future__ import annotations

from qrkit import errors
from qrkit.color import Color
from qrkit.decode import decode
from qrkit.design import Design
from qrkit.image import QRImage, generate

__all__ = ["Color", "Design", "QRImage", "decode", "errors", "generate"]
