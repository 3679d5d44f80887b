"""Writes what scipy and statsmodels compute for random pairs of sides, as one JSON document.

- `tables`: cases by whether they passed (on both sides, before only, after only, on neither), the p-value of scipy's binomial test
  and of statsmodels' exact McNemar test.
- `signs`: differences of cases, and the p-value of scipy's exact permutation test of their signs.
- `quantiles`: level, degrees of freedom, and scipy's two-sided quantile of Student's t.
- `means`: differences, level, and scipy's interval of their mean.
- `newcombe`: a table, level, and Newcombe's interval (method 10) from statsmodels' Wilson intervals.

    python -m venv venv && venv/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    venv/bin/python tests/goldens/record_paired_statistics.py > tests/goldens/paired_statistics.json
"""

import json
import math
import random

import numpy
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint


def draw_table(numbers):
    largest = numbers.choice([3, 12, 60, 400])
    return [numbers.randrange(largest + 1) for _ in range(4)]


def test_table(table):
    both, lost, won, neither = table
    binomial = stats.binomtest(lost, lost + won, 0.5).pvalue if lost + won else 1.0
    exact = mcnemar([[both, lost], [won, neither]], exact=True).pvalue if lost + won else 1.0
    return [*table, binomial, float(exact)]


def test_signs(numbers):
    count = numbers.randrange(2, 12)
    # Shares of eight runs have ties, and are exact as floats; scores have neither.
    shares = numbers.random() < 0.5
    values = [numbers.randrange(-8, 9) / 8 if shares else numbers.uniform(-1, 1) for _ in range(count)]
    result = stats.permutation_test(
        (numpy.array(values),), numpy.sum, permutation_type="samples", n_resamples=numpy.inf, alternative="two-sided"
    )
    return [values, float(result.pvalue)]


def find_mean_interval(numbers):
    values = [numbers.uniform(-1, 1) for _ in range(numbers.randrange(7, 40))]
    level = numbers.choice([0.9, 0.95, 0.99])
    interval = stats.ttest_1samp(values, 0).confidence_interval(level)
    return [values, level, float(interval.low), float(interval.high)]


def find_newcombe(numbers):
    table = draw_table(numbers)
    while sum(table) == 0:
        table = draw_table(numbers)
    both, lost, won, neither = table
    count, level = sum(table), numbers.choice([0.9, 0.95, 0.99])
    bounds = [proportion_confint(hits, count, 1 - level, "wilson") for hits in (both + lost, both + won)]
    (before_low, before_high), (after_low, after_high) = bounds
    before, after = (both + lost) / count, (both + won) / count
    product = both * neither - lost * won
    if product > 0:
        product = max(product - count / 2, 0)
    margins = (both + lost) * (won + neither) * (both + won) * (lost + neither)
    phi = product / math.sqrt(margins) if margins else 0
    down, up = after - after_low, before_high - before
    lower = after - before - math.sqrt(max(down**2 - 2 * phi * down * up + up**2, 0))
    down, up = before - before_low, after_high - after
    upper = after - before + math.sqrt(max(down**2 - 2 * phi * down * up + up**2, 0))
    return [*table, level, float(lower), float(upper)]


numbers = random.Random(1947)
quantiles = [
    [level, freedom, float(stats.t.ppf((1 + level) / 2, freedom))]
    for level in (0.5, 0.9, 0.95, 0.975, 0.99, 0.9999)
    for freedom in (1, 2, 3, 4, 5, 9, 10, 29, 30, 99, 1000, 20001)
]
document = {
    "tables": [test_table(draw_table(numbers)) for _ in range(1000)],
    "signs": [test_signs(numbers) for _ in range(300)],
    "quantiles": quantiles,
    "means": [find_mean_interval(numbers) for _ in range(30)],
    "newcombe": [find_newcombe(numbers) for _ in range(200)],
}
rows = ",\n".join(f'"{name}": {json.dumps(rows, separators=(",", ":"))}' for name, rows in document.items())
print("{" + rows + "}")
