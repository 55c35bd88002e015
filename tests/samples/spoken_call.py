"""Published results of Spoken CALL, and decisions that have their counts."""

import numpy as np

# Overview of the third edition of the Spoken CALL Shared Task, Table 1. The paper prints the nine rates; the five
# counts CA, FR, CR, PFA, GFA are the only ones, of 740 correct and 260 incorrect responses, that give all nine.
TABLE_1 = {
    "BaselinePerfectRec": ((671, 69, 250, 7, 3), "0.977 0.907 0.940 0.916 0.940 0.093 10.080 15.075 12.327"),
    "GGG": ((692, 48, 212, 34, 14), "0.901 0.935 0.918 0.879 0.736 0.065 11.348 3.544 6.342"),
    "III": ((699, 41, 205, 36, 19), "0.883 0.945 0.913 0.871 0.688 0.055 12.416 3.027 6.130"),
    "CCC": ((690, 50, 203, 38, 19), "0.879 0.932 0.905 0.860 0.681 0.068 10.082 2.925 5.430"),
    "BBB": ((670, 70, 209, 35, 16), "0.890 0.905 0.898 0.852 0.716 0.095 7.567 3.185 4.909"),
    "DDD": ((656, 84, 211, 31, 18), "0.885 0.886 0.886 0.837 0.713 0.114 6.280 3.087 4.403"),
    "Baseline": ((635, 105, 213, 32, 15), "0.892 0.858 0.875 0.823 0.734 0.142 5.176 3.232 4.090"),
    "KKK": ((627, 113, 215, 29, 16), "0.891 0.847 0.868 0.816 0.736 0.153 4.822 3.213 3.936"),
    "JJJ": ((666, 74, 106, 59, 95), "0.659 0.900 0.761 0.649 0.236 0.100 2.356 1.177 1.665"),
}
COLUMNS = ("precision", "recall", "f_measure", "scoring_accuracy", "rcr", "rfr", "d", "d_a", "d_full")


def decided(counts: tuple[int, int, int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gold labels and decisions with the given counts: correct, meaningful, accepted."""
    rows = [(1, 1, 1), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)]
    table = np.repeat(np.array(rows, dtype=bool), counts, axis=0)
    return table[:, 0], table[:, 1], table[:, 2]
