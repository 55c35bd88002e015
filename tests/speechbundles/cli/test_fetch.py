"""The command `fetch`."""

from speechbundles.model.fetched import read_index
from tests.samples.live_bundle import COMPETITION


def test_a_lost_upload_is_listed_each_time_and_is_an_error_the_first_time(server, phase, command, tmp_path):
    def call():
        status, out, err = command("fetch", COMPETITION, tmp_path)
        return status, out.splitlines(), err.splitlines()[-1].partition(";")[0]

    def lose(run):
        del server.files[server.datasets[server.submissions[run]["data"]]["path"]]

    first, second, third = server.submissions
    lose(first)
    status, (line,), counted = call()
    assert (status, counted) == (1, "3 runs, 3 fetched now")
    assert line.startswith(f"  Evaluation  anna  {first}  submissions/anna/")
    assert read_index(tmp_path)[0].note in line
    assert call() == (0, [line], "3 runs, 0 fetched now")
    (tmp_path / read_index(tmp_path)[1].submission).unlink()
    lose(second)
    status, lines, counted = call()
    assert (status, len(lines), counted) == (1, 2, "3 runs, 1 fetched now")
    assert call() == (0, lines, "3 runs, 0 fetched now")
    server.submissions[third].update(status="Running", step=99)
    for _ in range(2):
        status, (*_, run, advice), counted = call()
        assert (status, run) == (1, f"  Evaluation  bob  {third}  still Running")
        assert advice == "  If a run does not end: cancel each under Submissions and run it again"
    server.submissions[third].update(status="Failed")
    assert call() == (0, lines, "3 runs, 1 fetched now")
