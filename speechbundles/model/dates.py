"""Reads dates in competition.yaml as the platforms do, in UTC."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timezone

from dateutil.parser import parse

from speechbundles.model.document import describe
from speechbundles.model.errors import BundleError
from speechbundles.model.finding import Report

MINUTES = "%Y-%m-%d %H:%M"
FORMAT = f"{MINUTES}:%S"
"""The only format that every platform reads correctly, if the date is quoted."""

_ZONES = r"Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?|[A-Z]{3,5}"
_ISO = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})"
    r"(?:[T ](?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?"
    rf"\s*(?P<zone>{_ZONES})?"
)
_ZONE = re.compile(rf":\d\d(?:\.\d+)?\s*({_ZONES})$")
_LONGEST = 100
_CANONICAL = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_UTC = re.compile(r"Z|UTC|GMT|[+-]0{1,2}(:?00)?")


def read_date(
    report: Report, where: str, value: object, *, unquoted: str, only_iso: str | None
) -> datetime | None:
    """Return the instant in UTC. Return None, and add a finding, if it cannot be read.

    Parameters
    ----------
    unquoted: the rule that an unquoted date-time breaks; with `date-unquoted` its time is lost.
    only_iso: the finding about a format that is not ISO's, in addition to how it is read: with python-dateutil (as
        `get_datetime` in competitions/unpackers/utils.py), the month comes first, if it can.
    """
    if isinstance(value, datetime):
        report.add(unquoted, where, f"{value} without quotes")
        return datetime.combine(value.date(), time() if unquoted == "date-unquoted" else value.time())
    if isinstance(value, date):
        report.add("date-format", where, f"{value} without a time: read as {value} 00:00:00")
        return datetime.combine(value, time())
    if not isinstance(value, str):
        report.add("date-invalid", where, f"{describe(value)}; expected a date")
        return None
    return _read_text(report, where, value.strip(), only_iso)


def _read_text(report: Report, where: str, text: str, only_iso: str | None) -> datetime | None:
    match = _ISO.fullmatch(text)
    if match:
        clock = match["time"] or "00:00:00"
        try:
            read = datetime.strptime(f"{match['date']} {clock}", FORMAT if clock.count(":") == 2 else MINUTES)
        except ValueError:
            what = f"{text!r} is not a date in the calendar, or its time is impossible"
            report.add("date-invalid", where, what)
            return None
        zone = match["zone"]
        if zone and not _UTC.fullmatch(zone):
            report.add("date-offset", where, f"{text!r} has the time zone {zone}")
        elif only_iso and not match["time"]:
            report.add(only_iso, where, f"{text!r} has no time: read as {read}")
        elif not _CANONICAL.fullmatch(text):
            report.add("date-format", where, f"{text!r}: read as {read}")
        return read
    try:
        if len(text) > _LONGEST:
            raise ValueError
        readings: list[datetime] = [parse(text, dayfirst=first, ignoretz=True) for first in (False, True)]
    except (ValueError, ArithmeticError):
        report.add("date-invalid", where, f"{text!r} is not a date")
        return None
    read, zone = readings[0], _ZONE.search(text)
    if only_iso:
        report.add(only_iso, where, f"{text!r}: read as {read}")
    elif zone and not _UTC.fullmatch(zone[1]):
        report.add("date-offset", where, f"{text!r} has the time zone {zone[1]}")
    elif read == readings[1] or text[:4].isdigit():
        report.add("date-format", where, f"{text!r}: read as {read}")
    else:
        report.add("date-ambiguous", where, f"{text!r}: which number is the month? Read as {read}")
    return read


def expect_date(
    read: Callable[[Report, str, object], datetime | None], where: str, value: object
) -> datetime:
    """Return the instant that a platform's reader takes from a date.

    Raises
    ------
    BundleError: a date that the platform cannot read.
    """
    instant = read(Report(), where, value)
    if instant is None:
        raise BundleError(f'{where}: {value!r} is not a date; expected a quoted "YYYY-MM-DD HH:MM:SS"')
    return instant


def now() -> datetime:
    """Return the time now in UTC, without a time zone, as in bundles."""
    return datetime.now(timezone.utc).replace(tzinfo=None)
