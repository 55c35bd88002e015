"""The codes with which the run of a participant's program can end, and what participants read about each."""

OK = "ok"
SMOKE, RUN = "smoke", "run"
FAILED, TIME, LIMIT, ANSWERS = "failed", "time", "limit", "answers"
REFUSED, BUILD_FAILED = "refused", "build_failed"
DIFFERENT = "not_reproducible"
NOT_COUNTED, TEAM_LIMIT, WITHDRAWN, MACHINE = "not_counted", "team_limit", "withdrawn", "machine"

CODES = {
    OK: "the program ran, and its answers are scored",
    REFUSED: "the static check refused the zip; the platform's log lists the problems",
    BUILD_FAILED: "the packages of requirements.txt could not be installed, or weights not fetched",
    f"{SMOKE}_{FAILED}": "the program ended with an error on the public recordings",
    f"{SMOKE}_{TIME}": "it exceeded the time limit on the public recordings",
    f"{SMOKE}_{LIMIT}": "it exceeded a limit of memory or processes on the public recordings",
    f"{SMOKE}_{ANSWERS}": "its answers to the public recordings were refused",
    f"{RUN}_{FAILED}": "the program ended with an error on the hidden recordings",
    f"{RUN}_{TIME}": "it exceeded the time limit on the hidden recordings",
    f"{RUN}_{LIMIT}": "it exceeded a limit of memory or processes on the hidden recordings",
    f"{RUN}_{ANSWERS}": "its answers to the hidden recordings were refused",
    DIFFERENT: "two runs gave different answers; those of the first are scored",
    NOT_COUNTED: "the phase was not open, or its limit of submissions was reached; nothing was run",
    TEAM_LIMIT: "the machine hours of this participant are used up; nothing was run",
    WITHDRAWN: "the upload was withdrawn or cancelled; nothing was run",
    MACHINE: "the organisers' machine failed; the run is repeated",
}
"""What participants learn of a run."""
