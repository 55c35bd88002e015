"""Metrics: functions from arrays to numbers. The reference comes first; `counts` documents what all metrics share.

Each module is imported when it is first used, so ``import spokeneval`` is enough for ``spokeneval.metrics.agreement``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a type checker does not run `__getattr__`
    from . import (
        accept_reject as accept_reject,
    )
    from . import (
        agreement as agreement,
    )
    from . import (
        alignment as alignment,
    )
    from . import (
        alternative_annotator as alternative_annotator,
    )
    from . import (
        arrays as arrays,
    )
    from . import (
        assignment as assignment,
    )
    from . import (
        bootstrap as bootstrap,
    )
    from . import (
        classification as classification,
    )
    from . import (
        correlation as correlation,
    )
    from . import (
        counts as counts,
    )
    from . import (
        detection_cost as detection_cost,
    )
    from . import (
        diarization as diarization,
    )
    from . import (
        edit_distance as edit_distance,
    )
    from . import (
        equal_error_rate as equal_error_rate,
    )
    from . import (
        event_detection as event_detection,
    )
    from . import (
        identification as identification,
    )
    from . import (
        jackknife as jackknife,
    )
    from . import (
        mispronunciation as mispronunciation,
    )
    from . import (
        multi_speaker_errors as multi_speaker_errors,
    )
    from . import (
        open_set as open_set,
    )
    from . import (
        phoneme_recognition as phoneme_recognition,
    )
    from . import (
        prediction_error as prediction_error,
    )
    from . import (
        quantiles as quantiles,
    )
    from . import (
        rater_pairs as rater_pairs,
    )
    from . import (
        roc_hull as roc_hull,
    )
    from . import (
        shares as shares,
    )
    from . import (
        sweeps as sweeps,
    )
    from . import (
        tandem as tandem,
    )
    from . import (
        transcript_errors as transcript_errors,
    )
else:

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
