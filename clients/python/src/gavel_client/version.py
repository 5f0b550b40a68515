"""The version, which pyproject.toml reads too. It is the server's."""

__version__ = "0.1.0"
