"""Errors that an organiser can fix: in a file, in an option, or on a server.

    OrganiserError          a command prints its message and ends
    ├── UnreadableFile      a file is neither a text nor a workbook
    ├── BadReference        a reference set cannot be used
    ├── SealError           no share of a reference set can be sealed
    ├── BundleError         a built bundle cannot be rehearsed
    ├── Unreachable         a server did not answer, after several tries
    ├── Refused             a server understood a request and refused it
    └── Gone                a server's storage does not have a file, or does not return it

An error has its own class only if some code catches it and continues.
"""


class OrganiserError(Exception):
    """An error with a message for the organiser: the problem, its place, and how to fix it."""


class UnreadableFile(OrganiserError):
    """A file that contains no rows of text. The caller puts the file's name before the message."""


class BadReference(OrganiserError):
    """A reference set that is missing or cannot be used; the message names the files and rows."""


class SealError(OrganiserError):
    """A share of a reference set that cannot be sealed."""


class BundleError(OrganiserError):
    """A bundle that cannot be rehearsed."""


class Unreachable(OrganiserError):
    """A server that did not answer after several tries."""


class Refused(OrganiserError):
    """A request that a server refused, with its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Gone(OrganiserError):
    """A file that the storage does not have or does not return, even at a new address."""
