"""The baselines of a bundle: rehearsed here, run on the server, and compared."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import FINISHED, Rehearsal, choose_engine, rehearse_phase
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import MINUTES
from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.model.statuses import SUBMITTING
from speechbundles.model.temporary import temporary_folder
from speechbundles.server import api
from speechbundles.server.api import Connection
from speechbundles.server.compared import different_scores
from speechbundles.server.wait import wait_for_runs

MOST_EARLIER = 10
"""Most earlier runs of organisers in a phase whose uploads are compared with the baseline."""


def rehearse_baselines(bundle: BuiltBundle) -> dict[BuiltPhase, tuple[str, Rehearsal]]:
    """Rehearse the baseline of each phase that has one, `phase -> its name and rehearsal`.

    Programs of others run in bubblewrap.

    Raises
    ------
    OrganiserError: a baseline fails in the rehearsal, or there is no bubblewrap for programs of others.
    """
    found = {}
    engine = choose_engine("auto", bundle)
    for phase in bundle.phases:
        if (name := bundle.baseline(phase)) is None:
            continue
        with temporary_folder("baseline") as folder:
            submission = folder / "baseline.zip"
            submission.write_bytes(bundle.files[name])
            rehearsal = rehearse_phase(bundle, phase, submission, engine=engine)
        if rehearsal.status != FINISHED:
            raise OrganiserError(
                f"{phase.name}: the baseline {name} fails in the rehearsal, so nothing was sent\n\n{rehearsal}"
            )
        found[phase] = name, rehearsal
    return found


@dataclass
class Trial:
    """Test submissions of the baselines.

    Attributes
    ----------
    organisers: the names of the competition's organisers; their runs of the same bytes are used again.
    now: in UTC.
    again: the command that tests the phases that are left out.
    enforced: whether the server refused a submission outside the dates of its phase; None: none was sent.
    """

    connection: Connection
    bundle: BuiltBundle
    organisers: Collection[str]
    now: datetime
    again: str
    enforced: bool | None = None

    def test(
        self, built: BuiltPhase, phase: api.LivePhase, baseline: tuple[str, Rehearsal] | None
    ) -> Iterator[str]:
        """Submit a phase's baseline, unless a run of it is there, and compare its scores; yield a line for each step.

        A phase that is not open is left out if the server refuses the submission.

        Raises
        ------
        OrganiserError: the server refuses the submission to an open phase, or the scores differ.
        """
        if baseline is None:
            yield f"{built.name}: no test submission, because the bundle has no baseline for it"
            return
        (name, rehearsal), upload = baseline, self.bundle.files[baseline[0]]
        wanted = {cell.key: cell.stored for cell in rehearsal.row if cell.stored is not None}
        earlier = self._earlier_run(phase, upload, wanted)
        if earlier is None:
            try:
                run = self._submit(built, phase, Path(name).name, upload)
            except Refused as refusal:
                yield self._left_out(built, refusal)
                return
            yield f"{built.name}: submitted {name} as run {run}"
        else:
            run = earlier.id
            yield f"{built.name}: {name} is run {run}, submitted on {earlier.created:{MINUTES}} UTC"
        if not self.bundle.auto_run and (earlier is None or earlier.status == SUBMITTING):
            api.start(self.connection, run)
        hidden = self.bundle.hidden_columns
        found = wait_for_runs(self.connection, phase, [run], wanted, hidden).get(run)
        if found is None or found.status != FINISHED:
            raise OrganiserError(
                f"{phase.name}: run {run} is {found.status if found else 'deleted'} on the server, but Finished in the "
                "rehearsal; its logs are under Submissions in the browser"
            )
        if lines := self._different(found, wanted):
            what = f"{phase.name}: the scores of run {run} differ from the rehearsal:"
            raise OrganiserError("\n".join([what, "", *lines]))
        visible = (cell for cell in rehearsal.row if not cell.hidden)
        shown = "  ".join(f"{cell.title} {cell.with_bound(cell.shown)}" for cell in visible)
        yield f"{built.name}: same scores as in the rehearsal, to the last digit: {shown}"

    def _earlier_run(
        self, phase: api.LivePhase, upload: bytes, wanted: Mapping[str, Any]
    ) -> api.LiveRun | None:
        """Return an organiser's run of these bytes that ended as wanted or has not ended, the newest if several."""
        digest = digest_of(upload)
        own = [
            run
            for run in api.list_runs(self.connection, phase.id)
            if run.owner in self.organisers and not run.deleted
            if not run.meaning.ends or (run.status == FINISHED and not self._different(run, wanted))
        ]
        return next((run for run in own[: -MOST_EARLIER - 1 : -1] if self._digest(run) == digest), None)

    def _digest(self, run: api.LiveRun) -> str | None:
        with temporary_folder("earlier") as folder:
            try:
                return self.connection.download(
                    lambda: api.read_links(self.connection, run.files)[api.UPLOAD], folder / "file"
                )
            except (Refused, Gone):
                return None

    def _submit(self, built: BuiltPhase, phase: api.LivePhase, name: str, upload: bytes) -> int:
        """Submit a baseline; return its run.

        Raises
        ------
        Refused: the phase is not open.
        OrganiserError: the server refuses it for another reason.
        """
        outside = not built.is_open(self.now)
        if outside and self.enforced:
            raise Refused(api.NOT_OPEN, "This phase is not open")
        try:
            run = api.submit(self.connection, phase, name, upload)
        except Refused as refusal:
            expected = refusal.status in (api.NOT_OPEN, api.OVER_LIMIT)
            if not outside or not expected:
                hint = ". Try again when the phase is open and your account's limit allows it" * expected
                what = f"{built.name}: the server refuses the baseline"
                raise OrganiserError(f"{what}: {refusal}{hint}") from None
            self.enforced = self.enforced or refusal.status == api.NOT_OPEN or None
            raise
        if outside:
            self.enforced = False
        return run

    def _left_out(self, built: BuiltPhase, refusal: Refused) -> str:
        if self.now < built.opens:
            when = f"it opens on {built.opens:{MINUTES}} UTC; test it then: {self.again}"
        else:
            when = f"it ended on {built.closes:{MINUTES}} UTC"
        return f"{built.name}: left out, because the server refuses the baseline ({refusal}); {when}"

    def _different(self, run: api.LiveRun, wanted: Mapping[str, Any]) -> list[str]:
        computed = {column.key for column in self.bundle.columns if column.computed}
        served = {key: score for key, score in run.scores.items() if key not in computed}
        return different_scores(wanted, served, self.bundle.hidden_columns)
