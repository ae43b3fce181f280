"""The version of qrkit that is installed; it is read when it is first asked for, because that takes long."""

from importlib.metadata import version

__version__ = version("qrkit-studio")
