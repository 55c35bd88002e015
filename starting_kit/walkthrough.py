# %% [markdown]
# # ${title} (walk-through)
#
# ${opening}
#
# This notebook leads from the data to the zip to upload. Open it in the folder of the unpacked kit and run it cell by
# cell. On Colab, upload the kit's zip to the session's files; the first cell unpacks it.

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
    """Run one of the kit's programs and print its output."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    print(done.stdout + done.stderr)
    done.check_returncode()


# %% [markdown]
# ## The data
#
# ${files}
#
# For each column of each table, the most frequent values:


# %%
def look(path):
    """Print the columns of a table and their most frequent values."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        first = file.readline()
        file.seek(0)
        header, *rows = csv.reader(file, dialect="excel-tab" if "\t" in first else "excel")
    print(f"{path}: {len(rows)} rows")
    for place, name in enumerate(header):
        values = Counter(row[place][:40] for row in rows if len(row) == len(header))
        common = ", ".join(f"{value!r} {times} times" for value, times in values.most_common(4) if times > 1)
        print(f"    {name}: {len(values)} different; {common or f'such as {next(iter(values), None)!r}'}")


for folder in [path.parent for path in sorted(Path().glob("*/input"))] + [Path("data")]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".csv", ".tsv"):
            look(path)

# %% [markdown] if="baseline"
# ## The baseline
#
# The baseline writes its answers for the ${first_set} set. Below are the first lines of one of its files; your own
# system must write files of the same form.

# %% if="baseline"
run("baseline.py", "${first_set}", "out")
written = sorted(Path("out").iterdir())
print(*written[:5], f"{len(written)} in all", "", sep="\n")
print(*written[0].read_text(encoding="utf-8").splitlines()[:5], sep="\n")

# %% [markdown] if="not baseline"
# ## Your answers
#
# Write your system's answers for the ${first_set} set to the folder `out`, in the format that the competition's
# evaluation page describes.

# %% [markdown]
# {% if development %}
# ## The score
# {% else %}
# ## The check
# {% endif %}
#
# The next cell runs the server's own checks
# {%- if development %} and scores{% endif %}. To see a refusal, change a line of the file so that it is invalid and run
# the cell again: each problem is listed with its line. On the server, a refused submission does not count.


# %%
def check(folder, *options):
    """Check a folder of answers as the server does, and make the zip."""
    if Path(folder).is_dir():
        run("try_submission.py", *options, folder)
    else:
        print(f"Write your system's answers to the folder {folder} first, then run this cell again.")


check("out")

# %% [markdown] if="development"
# ## The report
#
# The report shows which errors the system makes and on which items, in tables and in the plots that are usual in the
# field. Plots need matplotlib.

# %% if="development"
report = Path("detailed_results.html")
if report.exists():
    page = html.escape(report.read_text(encoding="utf-8"))
    display(
        HTML(f'<div><iframe title="The report" srcdoc="{page}" width="100%" height="700"></iframe></div>')
    )

# %% [markdown] if="evaluation"
# ## The zip to upload
#
# Do the same for the ${last_set} set. Its labels are hidden, so the answers are checked and packed but not scored. On
# Colab, `submission.zip` is in the folder `kit` of the session's files.

# %% if="evaluation and baseline_evaluation"
run("baseline.py", "${last_set}", "final")

# %% if="evaluation"
check("final", "--set", "${last_set}")
if Path("submission.zip").is_file():
    print(zipfile.ZipFile("submission.zip").namelist()[:5])
