"""What an organiser begins with: a competition folder, or a challenge that builds as it is written.

Other rooms import from this module alone.
"""

from speechbundles.new.challenge import what_to_edit, write_challenge
from speechbundles.new.competition_folder import what_goes_where, write_folder

__all__ = ["what_goes_where", "what_to_edit", "write_challenge", "write_folder"]
