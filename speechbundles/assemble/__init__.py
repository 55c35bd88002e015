"""Build bundles from checked competitions. Other packages import only from this module."""

from speechbundles.assemble.plan import Plan
from speechbundles.assemble.plan import plan as plan_bundles
from speechbundles.assemble.unsaid import unfilled_about
from speechbundles.assemble.write import Built, sealed_folders
from speechbundles.assemble.write import write as write_bundles

__all__ = ["Built", "Plan", "plan_bundles", "sealed_folders", "unfilled_about", "write_bundles"]
