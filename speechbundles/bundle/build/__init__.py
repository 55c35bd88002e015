"""Build bundles from checked competitions. Other packages import only from this module."""

from speechbundles.bundle.build.built import Built, sealed_folders
from speechbundles.bundle.build.built import write as write_bundles
from speechbundles.bundle.build.gold_answers import scored_answers
from speechbundles.bundle.build.kit import Parts, for_competition
from speechbundles.bundle.build.overlaps import same_texts
from speechbundles.bundle.build.plan import Plan
from speechbundles.bundle.build.plan import plan as plan_bundles
from speechbundles.bundle.build.unsaid import unfilled_about

__all__ = [
    "Built",
    "Parts",
    "Plan",
    "for_competition",
    "plan_bundles",
    "same_texts",
    "scored_answers",
    "sealed_folders",
    "unfilled_about",
    "write_bundles",
]
