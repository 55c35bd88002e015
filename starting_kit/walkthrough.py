# %% [markdown]
# # ${title}: a walk-through
#
# ${opening}
#
# Open this notebook in the folder of the unpacked kit, and run it cell by cell. On Colab, upload the kit's zip to the
# session's files: the first cell unpacks it.

# %%
import csv
import html
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

from IPython.display import HTML, display

if not Path("try_submission.py").exists():
    kits = [path for path in Path().glob("*.zip") if "try_submission.py" in zipfile.ZipFile(path).namelist()]
    assert kits, "Open this notebook in the unpacked kit, or put the kit's zip beside it."
    zipfile.ZipFile(kits[0]).extractall("kit")
    os.chdir("kit")


def run(*command):
    """Run one of the kit's programs and show what it says."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    print(done.stdout + done.stderr)
    done.check_returncode()


# %% [markdown]
# ## The data
#
# ${files}
#
# Each table, column by column, with what is in it most often:


# %%
def look(path):
    """What a table holds."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        first = file.readline()
        file.seek(0)
        header, *rows = csv.reader(file, dialect="excel-tab" if "\t" in first else "excel")
    print(f"{path}: {len(rows)} rows")
    for place, name in enumerate(header):
        values = Counter(row[place][:40] for row in rows if len(row) == len(header))
        common = ", ".join(f"{value!r} {times} times" for value, times in values.most_common(4) if times > 1)
        print(f"    {name}: {len(values)} different; {common or f'such as {next(iter(values), None)!r}'}")


for folder in ("development", "data"):
    for path in sorted(Path(folder).rglob("*")):
        if path.suffix in (".csv", ".tsv"):
            look(path)

# %% [markdown]
# ## The baseline
#
# What it answers for the development set, and the first lines of a file that it writes. Your own system writes files
# like these.

# %%
run("baseline.py", "development", "out")
written = sorted(Path("out").iterdir())
print(*written[:5], f"{len(written)} in all", "", sep="\n")
print(*written[0].read_text(encoding="utf-8").splitlines()[:5], sep="\n")

# %% [markdown]
# ## The score
#
# The server's own checks and scores. To see a refusal, spoil a line of the file and run the cell again: every problem
# is named by its line, and on the server such an attempt does not count.

# %%
run("try_submission.py", "out")

# %% [markdown]
# ## The report
#
# What went wrong where, in the tables and plots that people of the field look at; plots are drawn where matplotlib is
# installed.

# %%
report = Path("detailed_results.html")
if report.exists():
    page = html.escape(report.read_text(encoding="utf-8"))
    display(
        HTML(f'<div><iframe title="The report" srcdoc="{page}" width="100%" height="700"></iframe></div>')
    )

# %% [markdown]
# ## The zip to upload
#
# The same for the evaluation set, whose labels are hidden: checked, not scored, and packed. On Colab,
# `submission.zip` is in the folder `kit` of the session's files.

# %%
run("baseline.py", "evaluation", "final")
run("try_submission.py", "--set", "evaluation", "final")
print(zipfile.ZipFile("submission.zip").namelist()[:5])
