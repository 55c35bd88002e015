"""Tests of the baseline's model: its size, that padding does not change the result, and the best path."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [audio] is not installed")

import diarize
from conformer import SIZES, Conformer, Size, log_odds, pad

TINY = Size(2, 2, 8, 16, stack=3, epochs=1, peak=1e-3)


def pieces(lengths, seed=1):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((length, 39)).astype(np.float32) for length in lengths]


def model(size=TINY):
    torch.manual_seed(1)
    return Conformer(size).eval()


def test_the_papers_size_has_the_parameters_that_it_must_have():
    d, inner, kernel = 512, 2048, 31
    norm = 2 * d
    feed_forward = norm + (d * inner + inner) + (inner * d + d)
    attention = norm + 4 * (d * d + d)
    convolution = norm + (d * 2 * d + 2 * d) + (d * kernel + d) + norm + (d * d + d)
    layer = 2 * feed_forward + attention + convolution + norm
    linear = (1024 * 1024 + 1024) + (1024 * 512 + 512) + (512 * 2 + 2)
    expected = (39 * d + d) + 4 * layer + linear
    assert expected == 25_838_082
    assert sum(parameter.numel() for parameter in Conformer(SIZES["paper"]).parameters()) == expected


def test_padding_changes_nothing():
    heard = pieces([10, 31, 17, 300])
    tiny = model()
    alone = [tiny(*pad([piece])) for piece in heard]
    features, lengths = pad(heard)
    further = torch.nn.functional.pad(features, (0, 0, 0, 50), value=7.0)
    for row, length in zip(further, lengths, strict=True):
        row[length : -(-int(length) // 3) * 3] = 0  # the last merged frame ends with zeros
    torch.testing.assert_close(tiny(features, lengths), torch.cat(alone), rtol=0, atol=1e-5)
    torch.testing.assert_close(tiny(further, lengths), torch.cat(alone), rtol=0, atol=1e-5)


def test_scores_come_in_the_order_of_the_pieces():
    heard = pieces([40, 10, 25])
    tiny = model()
    scores = torch.cat([tiny(*pad([piece])) for piece in heard]).detach().numpy()
    np.testing.assert_allclose(log_odds(tiny, heard, at_once=2), scores[:, 0] - scores[:, 1], atol=1e-5)


def test_the_path_is_the_best_of_all_paths():
    odds = 3 * np.random.default_rng(1).standard_normal(8)
    paths = np.array(np.meshgrid(*[[0, 1]] * 8)).reshape(8, -1).T
    switches = np.abs(np.diff(paths)).sum(axis=1)
    evidence = np.where(paths == 0, odds / 2, -odds / 2).sum(axis=1)
    scores = evidence + switches * np.log(0.05) + (7 - switches) * np.log(0.95)
    assert diarize.viterbi(odds).tolist() == paths[scores.argmax()].tolist()
