"""The formulas of docs/theory/mondrian_forest.md, evaluated as the page writes them, against the code."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from paper import paper_regressor
from stored import Stored

MEAN, GAMMA_1, GAMMA_2, NOISE = 0.3, 2.0, 0.7, 0.1
K = GAMMA_1 / NOISE
LABELS = np.array([-1.0, 1.5])


def psi(time, lifetime):
    return expit(-GAMMA_2 * time) - expit(-GAMMA_2 * lifetime)


def expected_wait(rate, length):
    """Mean of an exponential, given that it is less than a length."""
    hazard = rate * length
    if hazard < 1e-4:
        return length * (0.5 - hazard / 12)
    if math.isinf(length):
        return 1 / rate
    return 1 / rate - length * math.exp(-hazard) / (1 - math.exp(-hazard))


@pytest.fixture(params=[math.inf, 4.0], ids=["infinite lifetime", "finite lifetime"])
def two_leaves(request, tmp_path):
    """A forest of one tree with two rows, at 0 and at 1, in two leaves; and the time of its split."""
    for seed in range(100):
        forest = paper_regressor(
            n_estimators=1,
            min_samples_split=2,
            lifetime=request.param,
            scaling="none",
            prior_mean=MEAN,
            drift_variance=GAMMA_1,
            drift_rate=GAMMA_2,
            noise_variance=NOISE,
            random_state=seed,
        ).fit([[0.0], [1.0]], LABELS)
        if forest.n_nodes_ == 3:
            break
    forest.save(tmp_path / "forest")
    times = Stored.read(tmp_path / "forest").array("cuts.time")
    return forest, float(times[0])


def messages(split_time, lifetime):
    """Upward messages of the two leaves and of the root: precision, mean, and the edge's variance."""
    leaf_drift = psi(split_time, lifetime)
    seen = K / (1 + K * leaf_drift)
    root = (2 * seen, LABELS.mean(), psi(0, lifetime) - psi(split_time, lifetime))
    return [(K, label, leaf_drift) for label in LABELS], root


def infer(parent, message):
    """One step down: mean, variance and the share of the parent's variance that is shared."""
    (mean, variance), (precision, heard, drift) = parent, message
    k = precision * drift
    return (mean + k / (1 + k) * (heard - mean), (drift + variance / (1 + k)) / (1 + k)), 1 / (1 + k)


def wait_quantile(p, rate, length):
    return -math.log(1 - p * (1 - math.exp(-rate * length))) / rate


def outside(parent, own, coupling, edge, rate, lifetime):
    """The two components of a query that leaves on an edge."""
    begin, end = edge
    length = end - begin
    expected, _ = on_edge(parent, own, coupling, edge, begin + expected_wait(rate, length), lifetime)
    early, late = (
        on_edge(parent, own, coupling, edge, begin + wait_quantile(p, rate, length), lifetime) for p in (0.25, 0.75)
    )
    apart = 0.5 * (late[0] - early[0])
    return [(expected - apart, early[1]), (expected + apart, late[1])]


def on_edge(parent, own, coupling, edge, time, lifetime):
    """The component if it leaves at this time."""
    begin, end = edge
    left = psi(time, lifetime)
    drift = psi(begin, lifetime) - psi(end, lifetime)
    f = (psi(begin, lifetime) - left) / drift
    g = 1 - f
    variance = g**2 * parent[1] + f**2 * own[1] + 2 * f * g * parent[1] * coupling + f * g * drift
    return g * parent[0] + f * own[0], GAMMA_1 * (variance + left + 1 / K)


def test_components_of_a_query_outside_the_box(two_leaves):
    forest, split = two_leaves
    lifetime, rate = forest.lifetime, 0.5
    (_, leaf), root = messages(split, lifetime)
    at_root, root_coupling = infer((MEAN, 0.0), root)
    at_leaf, leaf_coupling = infer(at_root, leaf)
    expected = [
        *outside((MEAN, 0.0), at_root, root_coupling, (0.0, split), rate, lifetime),
        *outside(at_root, at_leaf, leaf_coupling, (split, lifetime), rate, lifetime),
        (at_leaf[0], GAMMA_1 * (at_leaf[1] + 1 / K)),
    ]
    passing = [math.exp(-rate * split), math.exp(-rate * (lifetime - split))]
    leaving = [1 - passing[0], passing[0] * (1 - passing[1])]
    weights = [*np.repeat(leaving, 2) / 2, passing[0] * passing[1]]
    dist = forest.predict_dist([[1.0 + rate]])
    np.testing.assert_allclose(dist.weights, weights, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(dist.means, [mean for mean, _ in expected], rtol=1e-12)
    np.testing.assert_allclose(dist.variances, [variance for _, variance in expected], rtol=1e-12)


def test_posterior_of_a_leaf_is_that_of_the_joint_gaussian(two_leaves):
    forest, split = two_leaves
    shared, own = psi(0, forest.lifetime) - psi(split, forest.lifetime), psi(split, forest.lifetime)
    means = GAMMA_1 * (shared + own * np.eye(2))  # covariance of the two leaves' means
    gain = means @ np.linalg.inv(means + NOISE * np.eye(2))
    mean, std = forest.predict([[0.0], [1.0]], return_std=True)
    np.testing.assert_allclose(mean, MEAN + gain @ (LABELS - MEAN), rtol=1e-12)
    np.testing.assert_allclose(std**2, np.diag(means - gain @ means) + NOISE, rtol=1e-12)


def test_marginal_likelihood(two_leaves):
    forest, split = two_leaves
    leaves, (precision, heard, drift) = messages(split, forest.lifetime)
    across = [GAMMA_1 * (1 / p + phi) for p, _, phi in leaves]
    page = norm.logpdf(LABELS[0] - LABELS[1], scale=math.sqrt(sum(across)))  # leaves of one label add 0
    page += norm.logpdf(heard, MEAN, math.sqrt(GAMMA_1 * (1 / precision + drift)))
    shared, own = drift, psi(split, forest.lifetime)
    dense = multivariate_normal(np.full(2, MEAN), GAMMA_1 * (shared + own * np.eye(2)) + NOISE * np.eye(2))
    assert page == pytest.approx(dense.logpdf(LABELS), rel=1e-12)
    assert forest.log_marginal_likelihood_ == pytest.approx(page, rel=1e-12)


@pytest.mark.parametrize(("rate", "length"), [(0.5, 3.0), (2.0, 0.01), (1e-3, 0.01), (7.0, 40.0)])
def test_expected_wait(rate, length):
    weight, _ = quad(lambda t: rate * math.exp(-rate * t), 0, length, epsabs=0)
    moment, _ = quad(lambda t: t * rate * math.exp(-rate * t), 0, length, epsabs=0)
    assert expected_wait(rate, length) == pytest.approx(moment / weight, rel=1e-9)


def test_far_away_the_prior_speaks(two_leaves):
    forest, _ = two_leaves
    mean, std = forest.predict([[1e12]], return_std=True)
    assert mean[0] == pytest.approx(MEAN, rel=1e-6)
    assert std[0] ** 2 == pytest.approx(GAMMA_1 * (psi(0, forest.lifetime) + 1 / K), rel=1e-6)


@pytest.mark.parametrize("n", [50, 3000])
def test_appendix_b(n):
    rng = np.random.default_rng(n)
    X, y = rng.uniform(size=(n, 4)), rng.normal(5, 3, size=n)
    forest = paper_regressor(n_estimators=1, random_state=0).fit(X, y)
    ratio = min(2000, 2 * n)
    assert forest.prior_mean_ == pytest.approx(y.mean())
    assert forest.drift_variance_ * (1 / 2 + 1 / ratio) == pytest.approx(y.var())
    assert forest.drift_rate_ == pytest.approx(4 / (20 * math.log2(n)))
    assert forest.noise_variance_ == pytest.approx(forest.drift_variance_ / ratio)
    moments = paper_regressor(n_estimators=1, smoothing="moments", random_state=0).fit(X, y)
    assert moments.noise_variance_ == pytest.approx(y.var() / (ratio / 2 + 1))


def test_noise_given_alone():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(100, 2)), rng.normal(size=100)
    forest = paper_regressor(n_estimators=1, noise_variance=0.2, random_state=0).fit(X, y)
    assert forest.drift_variance_ == pytest.approx((y.var() - 0.2) / 0.5)
    assert forest.noise_variance_ == pytest.approx(0.2)


def test_online_hyper_parameters_are_those_of_batch_at_each_doubling():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(100, 3)), rng.normal(size=100)
    online = paper_regressor(n_estimators=1, random_state=0)
    names = ("prior_mean_", "drift_variance_", "drift_rate_", "noise_variance_")
    for n in range(1, 101):
        online.learn_one(X[n - 1], y[n - 1])
        if n > 1 and n & (n - 1) == 0:
            batch = paper_regressor(n_estimators=1, random_state=0).fit(X[:n], y[:n])
            for name in names:
                assert getattr(online, name) == pytest.approx(getattr(batch, name)), (n, name)
    assert online.drift_rate_ == pytest.approx(3 / (20 * math.log2(64)))  # not of 100: refreshed at 64
    assert online.prior_mean_ == pytest.approx(y.mean())  # follows every row
