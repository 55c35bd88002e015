"""Errors that an organiser can cause: by a file, an option, or what a server answers.

    OrganiserError          a command prints its message and ends
    ├── UnreadableFile      a file is neither a text nor a workbook
    ├── BadReference        a reference set cannot be used
    ├── SealError           no share of a reference set can be sealed
    ├── BundleError         a built bundle cannot be rehearsed
    ├── Unreachable         a server did not answer, after several tries
    ├── Refused             a server understood a request and refused it
    └── Gone                a server's storage does not have a file, or does not give it

An error has a class of its own only if some code catches it and goes on.
"""


class OrganiserError(Exception):
    """The message is for the organiser: what is wrong, where, and how to fix it."""


class UnreadableFile(OrganiserError):
    """A file that contains no rows of text. Whoever knows the file's name puts it before the message."""


class BadReference(OrganiserError):
    """A reference set that is missing or cannot be used; the message names the files and rows."""


class SealError(OrganiserError):
    """A share of a reference set that cannot be sealed."""


class BundleError(OrganiserError):
    """A bundle that cannot be rehearsed."""


class Unreachable(OrganiserError):
    """A server that does not answer, although it was tried several times."""


class Refused(OrganiserError):
    """A server's refusal. `status`: its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Gone(OrganiserError):
    """A file that the storage does not have, or does not give, with a new address either."""
