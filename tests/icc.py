"""A small ICC profile of a printer in CMYK, made here, because those of print shops may not be passed on."""

import struct
from itertools import product

import numpy as np

GRID = 9


def _text(kind, text):
    return kind + bytes(4) + text


def _table(inputs, outputs, colors):
    """A lut8Type (ICC.1:2001, 6.5.9) of three or four parts, with `colors` at each point of its grid."""
    one = struct.pack(">9i", *(65_536 * (n % 4 == 0) for n in range(9)))
    line = bytes(range(256))
    grid = np.clip(np.rint(colors), 0, 255).astype(np.uint8).tobytes()
    side = round(len(colors) ** (1 / inputs))
    return _text(b"mft1", bytes((inputs, outputs, side, 0)) + one + line * inputs + grid + line * outputs)


def profile(space=b"CMYK", kind=b"prtr", name="Test press"):
    """A profile whose inks subtract light of their complement; black takes all."""
    steps = np.linspace(0, 1, GRID)
    lab = np.array(list(product(steps, repeat=3)))
    light, a, b = lab[:, 0], (lab[:, 1] - 0.5) * 2, (lab[:, 2] - 0.5) * 2
    to_inks = np.stack([1 - light - a, 1 - light + a, 1 - light + b, np.maximum(0, 0.4 - light)], 1) * 255
    inks = np.array(list(product(steps, repeat=4)))
    cyan, magenta, yellow, black = inks.T
    shade = (1 - black) * (1 - (cyan + magenta + yellow) / 3)
    to_lab = np.stack([shade, 0.5 + (magenta - cyan) / 4, 0.5 + (yellow - magenta / 2 - cyan / 2) / 4], 1) * 255
    tags = {
        b"desc": _text(b"desc", struct.pack(">I", len(name) + 1) + name.encode() + bytes(1 + 78)),
        b"cprt": _text(b"text", b"none\0"),
        b"wtpt": _text(b"XYZ ", struct.pack(">3i", 63_190, 65_536, 54_061)),
        b"A2B0": _table(4, 3, to_lab),
        b"B2A0": _table(3, 4, to_inks),
    }
    start = 128 + 4 + 12 * len(tags)
    table, data = struct.pack(">I", len(tags)), b""
    for tag, value in tags.items():
        table += tag + struct.pack(">2I", start + len(data), len(value))
        data += value + bytes(-len(value) % 4)
    head = struct.pack(">I4sI4s4s4s", start + len(data), bytes(4), 0x02_40_00_00, kind, space, b"Lab ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + struct.pack(">3i", 63_190, 65_536, 54_061)
    return head.ljust(128, b"\0") + table + data
