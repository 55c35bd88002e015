"""Submission rules: which of a participant's submissions is on the leaderboard."""

FORCE_BEST = "Force_Best"
FORCE_LAST = "Force_Last"
FORCE_ALL = "Force_Latest_Multiple"
PICKED = ("Add", "Add_And_Delete", "Add_And_Delete_Multiple")
"""Rules under which participants choose their submissions on the leaderboard."""

MEANINGS = {
    "Add": "The leaderboard shows the submission that you choose.",
    "Add_And_Delete": "The leaderboard shows the submission that you choose; you may withdraw it.",
    "Add_And_Delete_Multiple": "The leaderboard shows the submissions that you choose; you may withdraw them.",
    FORCE_LAST: "The leaderboard shows your **last** submission, not your best.",
    FORCE_ALL: "The leaderboard shows all your submissions, the latest first.",
    FORCE_BEST: "The leaderboard shows your **best** submission by the first column, not your last.",
}
"""What each rule means, as participants read it."""

SHOWN = {
    "Add": "the submission that each team chooses",
    "Add_And_Delete": "the submission that each team chooses",
    "Add_And_Delete_Multiple": "the submissions that each team chooses",
    FORCE_LAST: "each team's last submission",
    FORCE_ALL: "all submissions",
    FORCE_BEST: "each team's best submission",
}
"""What a leaderboard shows under each rule, as organisers read it."""
