"""Which of a participant's submissions is on the board; named as on Codabench, in competition.yaml too."""

FORCE_BEST = "Force_Best"
FORCE_LAST = "Force_Last"
FORCE_ALL = "Force_Latest_Multiple"
PICKED = ("Add", "Add_And_Delete", "Add_And_Delete_Multiple")
"""Participants choose what is on the board."""

MEANINGS = {
    "Add": "The submission that you choose is on the board.",
    "Add_And_Delete": "The submission that you choose is on the board; you may take it back.",
    "Add_And_Delete_Multiple": "The submissions that you choose are on the board; you may take them back.",
    FORCE_LAST: "Your **last** submission is on the board, not your best.",
    FORCE_ALL: "All your submissions are on the board, the latest first.",
    FORCE_BEST: "Your **best** submission by the first column is on the board, not your last.",
}
"""What each rule means, for participants."""
