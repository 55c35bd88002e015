"""Metrics: functions from arrays to numbers. The reference comes first; `counts` documents what all metrics share.

Each module is imported when it is first used, so ``import spokeneval`` is enough for ``spokeneval.metrics.agreement``.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from importlib import import_module

    module = f"{__name__}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    from pkgutil import iter_modules

    return sorted({*globals(), *(module.name for module in iter_modules(__path__))})
