"""What users of Optuna do with the sampler. Optuna's own checks are in `test_optuna_checks.py`."""

import pickle
import threading

import numpy as np
import optuna
import pytest

from hedgerow.integrations.optuna import MondrianSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)


def bowl(trial):
    x, y = trial.suggest_float("x", -10, 10), trial.suggest_float("y", -10, 10)
    return (x - 2) ** 2 + (y + 3) ** 2


def test_it_finds_the_least_and_the_greatest():
    study = optuna.create_study(sampler=MondrianSampler(seed=1))
    study.optimize(bowl, n_trials=40)
    assert study.best_value < 1e-3
    study = optuna.create_study(sampler=MondrianSampler(seed=1), direction="maximize")
    study.optimize(lambda trial: -bowl(trial), n_trials=40)
    assert study.best_value > -1e-3


def test_the_same_seed_gives_the_same_trials():
    def run():
        study = optuna.create_study(sampler=MondrianSampler(seed=3))
        study.optimize(bowl, n_trials=30)
        return [trial.params for trial in study.trials]

    assert run() == run()


def test_conditional_parameters_are_learned_together():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["near", "far"])
        if kind == "near":
            return (trial.suggest_float("a", 0, 1) - 0.3) ** 2
        return 1 + trial.suggest_float("b", 0, 1)

    sampler = MondrianSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=60)
    assert study.best_value < 1e-4
    trial = study.ask()
    assert set(sampler.infer_relative_search_space(study, trial)) == {"kind", "a", "b"}
    assert sum(each.params["kind"] == "near" for each in study.trials[30:60]) > 15


def test_pruned_trials_are_learned_from():
    def objective(trial):
        x = trial.suggest_float("x", -10, 10)
        for step in range(5):
            trial.report(abs(x) + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return abs(x)

    sampler = MondrianSampler(seed=0, n_initial=5)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=3)
    study = optuna.create_study(sampler=sampler, pruner=pruner)
    study.optimize(objective, n_trials=60)
    n_pruned = sum(trial.state == optuna.trial.TrialState.PRUNED for trial in study.trials)
    assert n_pruned > 5
    assert study.best_value < 0.05
    assert sampler._optimizer.n_told == 59  # all but the last, of which the next ask would hear


def test_a_pruned_trial_never_counts_as_better_than_the_median():
    sampler = MondrianSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(bowl, n_trials=10)
    trial = study.ask({name: optuna.distributions.FloatDistribution(-10, 10) for name in "xy"})
    trial.report(-1e9, 0)
    study.tell(trial, state=optuna.trial.TrialState.PRUNED)
    study.ask({name: optuna.distributions.FloatDistribution(-10, 10) for name in "xy"})
    values = sampler._optimizer.result().values
    assert values[-1] == np.median(values[:-1])


def test_failed_trials_do_no_harm():
    def objective(trial):
        if trial.suggest_float("x", -10, 10) < -5:
            raise ValueError
        return bowl(trial)

    sampler = MondrianSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=60, catch=(ValueError,))
    n_failed = sum(trial.state == optuna.trial.TrialState.FAIL for trial in study.trials)
    assert 0 < n_failed < 25
    assert study.best_value < 1e-2
    assert sampler._optimizer.result().n_failed >= n_failed - 2  # the first trial had no space yet


def test_threads_share_one_sampler():
    study = optuna.create_study(sampler=MondrianSampler(seed=0))
    study.optimize(bowl, n_trials=60, n_jobs=4)
    assert len(study.trials) == 60
    assert study.best_value < 0.1
    assert threading.active_count() < 10


def test_a_study_in_a_database_is_resumed(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    study = optuna.create_study(storage=storage, study_name="bowl", sampler=MondrianSampler(seed=0))
    study.optimize(bowl, n_trials=15)
    sampler = MondrianSampler(seed=1)
    again = optuna.load_study(storage=storage, study_name="bowl", sampler=sampler)
    again.optimize(bowl, n_trials=20)
    assert len(again.trials) == 35
    assert sampler._optimizer.n_told == 34
    assert again.best_value < 0.01


def test_two_workers_hear_of_each_others_trials(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    optuna.create_study(storage=storage, study_name="bowl")
    samplers = [MondrianSampler(seed=seed) for seed in (0, 1)]
    for _ in range(8):
        for sampler in samplers:
            optuna.load_study(storage=storage, study_name="bowl", sampler=sampler).optimize(bowl, n_trials=1)
    assert [sampler._optimizer.n_told for sampler in samplers] == [14, 15]


def test_a_pickled_sampler_goes_on():
    study = optuna.create_study(sampler=MondrianSampler(seed=0))
    study.optimize(bowl, n_trials=25)
    twin = pickle.loads(pickle.dumps(study))
    study.optimize(bowl, n_trials=5)
    twin.optimize(bowl, n_trials=5)
    assert [trial.params for trial in study.trials] == [trial.params for trial in twin.trials]


def test_parameters_are_checked_at_once():
    with pytest.raises(ValueError, match="acquisition must be one of"):
        MondrianSampler(acquisition="none")
    with pytest.raises(TypeError, match="leave out random_state"):
        MondrianSampler(random_state=0)


def test_several_objectives_are_refused():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=MondrianSampler(seed=0))
    with pytest.raises(ValueError, match="multi-objective"):
        study.optimize(lambda trial: (bowl(trial), 1.0), n_trials=2)


def test_trials_in_which_a_parameter_has_another_range_leave_it_to_chance():
    sampler = MondrianSampler(seed=0)
    study = optuna.create_study(sampler=sampler)
    for high in (1, 2, 3):
        study.optimize(lambda trial, high=high: trial.suggest_float("x", 0, high) + trial.suggest_int("k", 0, 5), 5)
    assert set(sampler.infer_relative_search_space(study, study.ask())) == {"k"}
