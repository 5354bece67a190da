"""Minimise a function of four parameters of different kinds."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """Return something to minimise: zero at x = 2, k = 3, rate = 0.1 and kind = "b"."""
    x = trial.suggest_float("x", -10, 10)
    k = trial.suggest_int("k", 0, 9)
    rate = trial.suggest_float("rate", 1e-3, 1e3, log=True)
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    return (x - 2) ** 2 + (k - 3) ** 2 + abs(rate - 0.1) + (kind != "b")


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/mondrian_forest")
    study = optuna.create_study(sampler=module.MondrianSampler(seed=0))
    study.optimize(objective, n_trials=100)
    print(study.best_value, study.best_params)
