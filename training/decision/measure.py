"""Figures: accuracy, calibration error, Wilson intervals, area under the curve."""
import math

import numpy as np


def ece(confidence, right, bins=15):
    """Expected calibration error of the top answer, bins of equal width over [0, 1]."""
    confidence, right = np.asarray(confidence), np.asarray(right, dtype=float)
    at = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(sum(abs(right[at == k].sum() - confidence[at == k].sum()) for k in range(bins)) / max(len(right), 1))


def wilson(k, n, z=1.96):
    if n == 0:
        return 0.0, 1.0
    p, d = k / n, 1 + z * z / n
    mid, half = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return mid - half, mid + half


def auroc(positive, negative):
    """Share of pairs in which the positive is the larger; ties count half."""
    if not positive or not negative:
        return float("nan")
    x, y = np.asarray(positive)[:, None], np.asarray(negative)[None, :]
    return float(((x > y) + 0.5 * (x == y)).mean())
