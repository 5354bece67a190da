"""Laws of optimisation: the same bits, any order, any batch, whatever fails."""

import copy
import pickle

import numpy as np
import pytest

import hedgerow
from hedgerow import MondrianForestRegressor
from hedgerow.optimize import Categorical, Integer, Optimizer, Real, Space, minimize
from models import bits

MIXED = {
    "kind": ["a", "b", "c"],
    "x": (-1, 1),
    "n": Integer(1, 50, log=True),
    "rate": Real(1e-4, 1, log=True, when={"kind": ("b", "c")}),
    "flag": Categorical([True, False], when={"kind": "c"}),
}


def mixed(point):
    value = (point["x"] - 0.3) ** 2 + abs(point["n"] - 7) / 50 + {"a": 0.4, "b": 0.0, "c": 0.2}[point["kind"]]
    return value + abs(np.log10(point.get("rate", 1e-2)) + 2) / 4


def bowl(x):
    return float(np.sum((np.asarray(x) - 0.3) ** 2))


def run(optimizer, f, n):
    points = []
    for _ in range(n):
        points.append(optimizer.ask())
        optimizer.tell(points[-1], f(points[-1]))
    return points


@pytest.mark.parametrize("acquisition", ["ucb", "ei", "thompson"])
@pytest.mark.parametrize("local_search", [True, False])
def test_the_same_seed_gives_the_same_points(acquisition, local_search):
    def once(seed):
        return run(Optimizer(MIXED, acquisition=acquisition, local_search=local_search, random_state=seed), mixed, 40)

    first = once(0)
    assert first == once(0)
    assert first != once(1)


@pytest.mark.parametrize("how", ["pickle", "file", "copy"])
@pytest.mark.parametrize("n_before", [0, 5, 45])
def test_an_interrupted_search_goes_on_with_the_same_bits(how, n_before, tmp_path):
    whole = Optimizer(MIXED, random_state=4)
    run(whole, mixed, n_before)
    whole.ask()  # one that stays pending
    if how == "file":
        whole.save(tmp_path / "search")
        other = hedgerow.load(tmp_path / "search")
    else:
        other = pickle.loads(pickle.dumps(whole)) if how == "pickle" else copy.deepcopy(whole)
    assert run(other, mixed, 30) == run(whole, mixed, 30)
    assert bits(other) == bits(whole)


def test_mixed_spaces_are_searched():
    result = minimize(mixed, MIXED, 120, 0)
    assert result.fun < 0.03
    assert result.x["kind"] == "b"
    assert "flag" not in result.x


def test_points_lie_in_the_space_and_none_is_tried_twice():
    optimizer = Optimizer(MIXED, random_state=0)
    points = run(optimizer, mixed, 150)
    for point in points:
        optimizer.space.encode(point)
    assert len({tuple(sorted(point.items())) for point in points}) == 150


def test_a_small_space_is_searched_whole():
    space = [range(4), ["a", "b"], range(3)]
    points = run(Optimizer(space, random_state=0), lambda x: x[0] + x[2], 24)
    assert len({tuple(point) for point in points}) == 24
    repeated = run(Optimizer([range(2)], random_state=0), lambda x: x[0], 10)  # nothing new is left: no crash
    assert {tuple(point) for point in repeated} == {(0,), (1,)}


def test_answers_may_come_in_any_order():
    rng = np.random.default_rng(0)
    optimizer = Optimizer([(0, 1)] * 3, random_state=0)
    waiting = []
    for _ in range(40):
        waiting += optimizer.ask(4)
        rng.shuffle(waiting)
        done, waiting = waiting[:4], waiting[4:]
        optimizer.tell(done, [bowl(x) for x in done])
    assert optimizer.n_told == 160
    assert optimizer.result().fun < 1e-6


def test_a_batch_has_different_points():
    optimizer = Optimizer([(0, 1)] * 2, random_state=0)
    run(optimizer, bowl, 30)
    batch = np.array(optimizer.ask(12))
    gaps = np.abs(batch[:, None] - batch[None]).max(axis=2) + np.eye(12)
    assert gaps.min() > 0
    assert np.ptp(batch, axis=0).max() > 0.02  # not all in one place


def test_beliefs_in_pending_points_leave_no_trace():
    optimizer = Optimizer([(0, 1)] * 2, random_state=0, local_search=False)
    run(optimizer, bowl, 30)
    optimizer.ask(10)
    forest = optimizer.surrogate_
    assert forest.n_samples_ == 30
    rows = np.random.default_rng(0).random((50, 2))
    fresh = MondrianForestRegressor(**forest.get_params())
    fresh.partial_fit(np.ascontiguousarray(optimizer._evaluations.places), optimizer._evaluations.values)
    # Not the same trees, but the same labels in them.
    assert np.corrcoef(forest.predict(rows), fresh.predict(rows))[0, 1] > 0.9


def test_points_that_were_never_asked_for_are_learned():
    optimizer = Optimizer([(0, 1)] * 2, random_state=0)
    rng = np.random.default_rng(0)
    points = rng.random((30, 2))
    optimizer.tell(points, [bowl(x) for x in points])
    assert optimizer.n_told == 30
    run(optimizer, bowl, 20)
    assert optimizer.result().fun < 1e-3


def test_what_was_tried_in_place_of_what_was_asked_for_is_learned():
    """On a coarse grid: local searches hear of their steps, and nothing stays pending."""
    optimizer = Optimizer([(0, 1)] * 2, random_state=0)
    for _ in range(60):
        asked = optimizer.ask()
        tried = np.round(asked, 2)
        optimizer.tell(tried, bowl(tried), asked=asked)
    assert optimizer._pending.n == 0
    assert optimizer.result().fun == 0
    assert optimizer._descents.searches[0].radius < 0.01
    batch = optimizer.ask(3)
    optimizer.tell([np.round(x, 2) for x in batch], [bowl(x) for x in batch], asked=batch)
    assert optimizer._pending.n == 0


@pytest.mark.parametrize("failure", [None, float("nan"), float("inf"), -float("inf")])
def test_failures_are_avoided_and_do_not_count(failure):
    def f(x):
        return failure if x[0] > 0.6 else bowl(x)

    result = minimize(f, [(0, 1)] * 2, 60, 0)
    assert result.fun < 1e-4
    assert 0 < result.n_failed < 24  # 40% of the space fails
    assert np.isnan(result.values).sum() == result.n_failed


def test_if_everything_fails_there_is_no_best():
    result = minimize(lambda x: None, [(0, 1)], 30, 0)
    assert result.x is None
    assert np.isnan(result.fun)
    assert result.n_failed == 30
    assert result.recommended() is None


def test_exceptions_count_as_failures_only_if_asked():
    def f(x):
        if x[0] > 0.5:
            raise ZeroDivisionError
        return bowl(x)

    assert minimize(f, [(0, 1)], 30, 0, catch=ZeroDivisionError).fun < 1e-4
    with pytest.raises(ZeroDivisionError):
        minimize(f, [(0, 1)], 30, 0, catch=ValueError)


def test_constant_and_huge_values_are_no_trouble():
    assert minimize(lambda x: 1.0, [(0, 1)] * 2, 40, 0).fun == 1.0
    result = minimize(lambda x: 1e250 if x[0] > 0.5 else bowl(x), [(0, 1)] * 2, 60, 0)
    assert result.fun < 0.01
    assert np.isfinite(minimize(lambda x: 1e300 * bowl(x), [(0, 1)] * 2, 40, 0).fun)


def test_the_unit_of_values_hardly_matters():
    first = [tuple(x) for x in run(Optimizer([(0, 1)] * 2, random_state=0), bowl, 60)]
    second = [tuple(x) for x in run(Optimizer([(0, 1)] * 2, random_state=0), lambda x: 1024 * bowl(x), 60)]
    np.testing.assert_allclose(first[:20], second[:20], atol=1e-3)


def test_a_given_forest_is_used_and_left_alone():
    forest = MondrianForestRegressor(n_estimators=3, hyperparameters="paper")
    optimizer = Optimizer([(0, 1)], surrogate=forest, random_state=0)
    run(optimizer, bowl, 20)
    assert optimizer.surrogate_.n_estimators == 3
    assert not forest.__sklearn_is_fitted__()


def test_the_result_is_a_copy():
    optimizer = Optimizer(Space([(0, 1)]), random_state=0)
    run(optimizer, bowl, 10)
    result = optimizer.result()
    run(optimizer, bowl, 10)
    assert result.n_calls == 10
    assert len(result.points) == 10
    assert result.best_so_far[-1] == result.fun == min(bowl(x) for x in result.points)


def test_a_failure_is_learned_as_the_worst_value_so_far():
    optimizer = Optimizer([(0, 1)], random_state=0)
    optimizer.tell([[0.1], [0.5], [0.9]], [1.0, 7.0, 3.0])
    optimizer.tell([0.3], None)
    assert optimizer.surrogate_.predict([[0.3]])[0] == pytest.approx(7.0)


@pytest.mark.parametrize("n", [30, 150])
def test_searches_begin_outside_all_zones(n):
    """What is kept up to date evaluation by evaluation is what all evaluations and all zones say together."""
    optimizer = Optimizer({"c": ["a", "b"], "x": (0, 1), "y": (0, 1)}, random_state=0)
    for _ in range(n):
        point = optimizer.ask()
        failed = point["x"] > 0.9
        optimizer.tell(point, None if failed else (point["x"] - 0.3) ** 2 + abs(point["y"] - 0.5) + (point["c"] == "b"))
    descents, evaluations = optimizer._descents, optimizer._evaluations
    gaps = np.abs(evaluations.places[:, None] - descents._zones[None])
    gaps[..., 0] = np.where(gaps[..., 0] > 0, np.inf, 0.0)  # another choice is never near
    expected = ~np.isnan(evaluations.values) & (gaps.max(axis=2) > descents.zone).all(axis=1)
    np.testing.assert_array_equal(descents._is_outside, expected)
    starts = np.array([search.centre for search in descents.searches])
    assert len(starts) > 1
