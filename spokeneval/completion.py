"""The words that can follow in a command line: for completion by the Tab key, and for suggestions of misspelt ones."""

from __future__ import annotations

import os
from collections.abc import Sequence

from .arguments import OF_TASKS, SHORT, parser
from .challenges import task_names
from .formats.problems import closest
from .kinds.declared import KINDS
from .scoring.output import say

_SCRIPTS = {
    "bash_source": """_spokeneval_completion() {
    local IFS=$'\\n'
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _SPOKENEVAL_COMPLETE=bash_complete $1))
}
complete -o default -F _spokeneval_completion spokeneval""",
    "zsh_source": """_spokeneval_completion() {
    local -a found
    found=(${(f)"$(COMP_WORDS="${(F)words}" COMP_CWORD=$((CURRENT-1)) _SPOKENEVAL_COMPLETE=bash_complete $words[1])"})
    (( $#found )) && compadd -- $found || _files
}
compdef _spokeneval_completion spokeneval""",
    "fish_source": """function _spokeneval_completion
    set -l typed (commandline -opc) (commandline -ct)
    set -lx COMP_WORDS (string join \\n -- $typed | string collect)
    set -lx COMP_CWORD (math (count $typed) - 1)
    _SPOKENEVAL_COMPLETE=bash_complete $typed[1]
end
complete -c spokeneval -a '(_spokeneval_completion)'""",
}
"""The script of each shell. Without a word that can follow, shells complete the names of files."""


def complete(asked: str) -> int:
    """Print the script for a shell, or the words that can be in the place of the cursor."""
    if asked in _SCRIPTS:
        say(_SCRIPTS[asked])
        return 0
    if asked != "bash_complete":
        say(f"_SPOKENEVAL_COMPLETE is {asked}; expected one of {', '.join(_SCRIPTS)}", error=True)
        return 2
    typed, place = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
    begun = "".join(typed[place : place + 1])
    words = [word for word in words_after(typed[1:place]) if word.startswith(begun)]
    say("\n".join(word for word in words if begun or word[0] != "-"))
    return 0


def words_after(given: Sequence[str]) -> list[str]:
    """The commands, names of tasks, options and choices that can follow; none where a file follows."""
    whole = parser()
    commands = next(each.choices for each in whole._actions if isinstance(each.choices, dict))
    if not given:
        return [*commands, *SHORT, *(flag for each in whole._actions for flag in each.option_strings)]
    own = commands.get("score" if given[0] in SHORT else given[0])
    flags = {flag: each for each in (own._actions if own else ()) for flag in each.option_strings}
    option = flags.get(given[-1])
    if option and option.nargs != 0:
        return list(option.choices or ())
    if given[0] not in OF_TASKS or len(given) > 1:
        return [*flags]
    return [*flags, *task_names(), *SHORT, *(KINDS if given[0] == "tasks" else ())]


def near_miss(given: Sequence[str]) -> str:
    """A suggestion for the first misspelt command or option, empty if there is none."""
    if given[:1] == ["rank"]:
        return "; rank is a command of speech-bundles; here it is compare"
    for place, word in enumerate(given):
        if place == 0 or word.startswith("--"):
            known, written = words_after(given[:1] if place else ()), word.partition("=")[0]
            near = closest(written, known)
            if near and written != near and not (place and any(each.startswith(written) for each in known)):
                return f"; did you mean {near}?"
    return ""
