"""Bayesian optimisation, step by step: ask where to look, tell what was found."""

from __future__ import annotations

import math
from numbers import Real as RealNumber
from typing import Any

import numpy as np
from scipy.stats import qmc
from sklearn.base import clone

from hedgerow.base.seed import draw_seed
from hedgerow.base.settings import check_integer, check_positive
from hedgerow.base.work import interrupted_after
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.numeric.arrays import Floats
from hedgerow.optimize._acquisition import ACQUISITIONS
from hedgerow.optimize._candidates import apart, draw_candidates
from hedgerow.optimize._descents import NONE, Descents
from hedgerow.optimize._evaluations import LARGEST_VALUE, Evaluations
from hedgerow.optimize._files import OptimizerFiles
from hedgerow.optimize._pending import Pending, Proposal
from hedgerow.optimize._result import Result
from hedgerow.optimize._space import Space

N_BEST = 10
"""How many of the best places candidates are made from."""

MOST_PLACES = 1_000_000
"""Drawn at once: more would hardly fit into memory."""
MOST_PLANNED = 2**22
"""Numbers of the initial plan: it is made when an optimiser is, or is loaded from a file, however small."""

FINEST = 100.0
"""The forest's lifetime where local searches look after what is finer: cells of a hundredth are hardly cut again."""

MOST_BELIEVED = 64
"""How many places that were asked for and not told the forest is made to believe in, the latest."""


class Optimizer(OptimizerFiles):
    """Look for the least value of a function that is expensive to evaluate, or noisy, or fails.

    A Mondrian forest learns each evaluation as it comes, at a cost that grows with the logarithm of their number. In
    turn, one place is proposed by the forest, one by a local search that goes on from the best, and one by a local
    search that goes on from the best elsewhere. Batches, answers in any order and points never asked for are welcome.

    Parameters
    ----------
    bounds : mapping, sequence, scipy.optimize.Bounds or Space
        What may be varied; see `Space`.
    acquisition : {"ucb", "ei", "thompson"}, default="ucb"
        How candidates are ranked by the forest's predictions: mean less `exploration` standard deviations, expected
        improvement, or one draw from the predictive mixture.
    exploration : float, default=1.0
        A factor on the forest's standard deviations.
    n_initial : int, optional
        Places that are spread evenly before anything is modelled. Default: 4 + 2 a parameter, at most 50.
    n_candidates : int, default=400
        Places among which the forest chooses. There are fewer after 256 evaluations, a third as many after 10,000, so
        that a suggestion does not become more expensive.
    local_search : bool, default=True
        Whether to search locally too. Without, every place is the forest's choice, as in the paper
        on Mondrian forests for regression (Lakshminarayanan, Roy and Teh, 2016).
    surrogate : MondrianForestRegressor, optional
        A forest with other parameters; what it has learned is not used. Default: that of the
        paper's section 5.3.
    random_state : int, RandomState or None
        Random seed.

    Attributes
    ----------
    space : Space
        What may be varied.
    surrogate_ : MondrianForestRegressor
        The forest that has learned the evaluations; its columns are those of ``space.columns``.

    Examples
    --------
    >>> from hedgerow.optimize import Optimizer
    >>> optimizer = Optimizer({"x": (-5, 10), "y": (0, 15)}, random_state=0)
    >>> for _ in range(40):
    ...     point = optimizer.ask()
    ...     optimizer.tell(point, (point["x"] - 1) ** 2 + (point["y"] - 7) ** 2)
    >>> result = optimizer.result()
    >>> round(result.x["x"], 2), round(result.x["y"], 2)
    (1.0, 7.0)
    """

    def __init__(
        self,
        bounds: Any,
        *,
        acquisition: str = "ucb",
        exploration: float = 1.0,
        n_initial: int | None = None,
        n_candidates: int = 400,
        local_search: bool = True,
        surrogate: Any = None,
        random_state: Any = None,
    ) -> None:
        self.space = bounds if isinstance(bounds, Space) else Space(bounds)
        if not isinstance(acquisition, str) or acquisition not in ACQUISITIONS:
            raise ValueError(f"acquisition must be one of {list(ACQUISITIONS)}, got {acquisition!r}")
        check_positive("exploration", exploration)
        check_integer("n_candidates", n_candidates, least=10)
        check_integer("n_initial", 2 if n_initial is None else n_initial, least=2)
        if max(n_candidates, n_initial or 0) > MOST_PLACES:
            raise ValueError(f"n_candidates and n_initial must be at most {MOST_PLACES:,}")
        if (n_initial or 0) * self.space.n_parameters > MOST_PLANNED:
            raise ValueError(f"n_initial times the number of parameters must be at most {MOST_PLANNED:,}")
        if surrogate is not None and not isinstance(surrogate, MondrianForestRegressor):
            raise TypeError(f"surrogate must be a MondrianForestRegressor, got {surrogate!r}")
        self.acquisition, self.exploration, self.n_candidates = acquisition, float(exploration), int(n_candidates)
        self.n_initial = None if n_initial is None else int(n_initial)
        self.local_search, self.surrogate = bool(local_search), surrogate
        self.random_state = random_state
        self._seed = draw_seed(random_state)
        self._n_asked = 0
        self._evaluations = Evaluations(self.space.n_parameters)
        self._descents = Descents(self.space, self._evaluations)
        self._pending = Pending(self.space.n_parameters)
        self.surrogate_ = self._new_surrogate()
        self._plan = self._initial_places()

    # Asking and telling.

    def ask(self, n: int | None = None) -> Any:
        """Return a point to evaluate, or a list of so many, to be evaluated at once.

        Points that were asked for and not yet told are taken into account: the forest is made to believe that they
        turn out as it expects. A point that will never be told does no other harm.
        """
        if n is None:
            return self._ask_one()
        check_integer("n", n, least=1, most=MOST_PLACES)
        return [self._ask_one() for _ in range(n)]

    def tell(self, x: Any, y: Any, *, asked: Any = None) -> None:
        """Take the value found at a point, or a list of values found at a list of points.

        Points may come in any order, and need not have been asked for. None, NaN and infinity say that the evaluation
        failed: the forest then learns the worst value so far, and local searches step back.

        Parameters
        ----------
        x : point or list of points
            Where was looked.
        y : float, None, or list of these
            What was found.
        asked : point or list of points, optional
            What had been asked for, if something else was tried in its place: the nearest that there is, say.
        """
        if y is None or np.ndim(y) == 0:
            x, y, asked = [x], [y], None if asked is None else [asked]
        asked = x if asked is None else asked
        if not len(x) == len(y) == len(asked):
            raise ValueError(
                f"there must be one value a point, got {len(y)} values for {len(x)} points, {len(asked)} of them asked"
            )
        found = [
            (self.space.encode(point), _value(value), self.space.encode(origin))
            for point, value, origin in zip(x, y, asked, strict=True)
        ]
        with interrupted_after():
            for place, value, origin in found:
                self._learn(place, value, self._pending.take(origin))

    def result(self) -> Result:
        """Return what has been found so far."""
        return Result(self.space, self._evaluations.places.copy(), self._evaluations.values.copy(), self.surrogate_)

    @property
    def n_told(self) -> int:
        """How many evaluations have been told, failed ones too."""
        return self._evaluations.n

    # Below: private.

    def _new_surrogate(self) -> MondrianForestRegressor:
        """Return the forest of Lakshminarayanan, Roy and Teh (2016), section 5.3.

        Ten trees, blocks of two rows split, moments of nodes instead of messages.
        """
        forest = (
            MondrianForestRegressor(
                n_estimators=10,
                min_samples_split=2,
                lifetime=FINEST if self.local_search else math.inf,
                smoothing="moments",
                scaling="none",
                hyperparameters="paper",
            )
            if self.surrogate is None
            else clone(self.surrogate)
        )
        forest.set_params(random_state=self._seed % 2**32)
        return forest

    def _initial_places(self) -> Floats:
        n = self.space.n_parameters
        n_initial = self.n_initial if self.n_initial is not None else min(50, 4 + 2 * n)
        sobol = qmc.Sobol(n, rng=np.random.default_rng([self._seed, 0]))
        return self.space.settled(sobol.random_base2(max(1, (n_initial - 1).bit_length()))[:n_initial])

    def _ask_one(self) -> Any:
        rng = np.random.default_rng([self._seed, 1, self._n_asked])
        proposal = self._propose(rng)
        point = self.space.decode(proposal.place)
        # As it will come back: a value on a log scale may have lost its last bits.
        self._pending.add(proposal._replace(place=self.space.encode(point)))
        self._n_asked += 1
        return point

    def _propose(self, rng: np.random.Generator) -> Proposal:
        n_known = self._evaluations.n + self._pending.n
        if n_known < len(self._plan):
            return Proposal(self._plan[n_known])
        if self._evaluations.n_succeeded < 2:
            return Proposal(self._new_place(rng))
        turn = self._n_asked % 3
        if self.local_search and turn < 2:
            proposal = self._step(turn == 0, rng)
            if proposal is not None:
                return proposal
        return Proposal(self._forest_choice(rng))

    def _step(self, leads: bool, rng: np.random.Generator) -> Proposal | None:
        """Return the next step of a local search; None if there is none that leads anywhere new."""
        search = self._descents.pick(leads)
        if search == NONE:
            return None
        step = self._descents.searches[search].propose(self.space, self._evaluations, self._pending.places, rng)
        if step is None or step[0] in self._evaluations:
            self._descents.stuck(search)
            return None
        return Proposal(step[0], search, step[1])

    def _forest_choice(self, rng: np.random.Generator) -> Floats:
        """Return the candidate of which the forest hopes most and which was not tried yet."""
        best = apart(np.concatenate([self._evaluations.best_places(2 * N_BEST), self._descents.best_places(N_BEST)]))
        best = best[:N_BEST]
        # Ways through a tree grow with the logarithm of what it has learned, faster near the best, where evaluations
        # crowd. So that a suggestion costs the same at any time, there are fewer candidates as ways get longer.
        n_candidates = int(self.n_candidates * min(1.0, 8.0 / math.log2(self._evaluations.n)) ** 2)
        candidates = draw_candidates(self.space, best, self.surrogate_, n_candidates, rng)
        columns = self.space.columns(candidates)
        with _Beliefs(self):
            least = self._evaluations.least
            hope = ACQUISITIONS[self.acquisition](self.surrogate_, columns, least, self.exploration, rng)
        for row in np.argsort(-hope, kind="stable"):
            if not self._is_known(candidates[row]):
                place: Floats = candidates[row]
                return place
        return self._new_place(rng)

    def _new_place(self, rng: np.random.Generator) -> Floats:
        """Return a random place that was not tried yet, if one is found soon."""
        places = self.space.settled(rng.random((64, self.space.n_parameters)))
        for place in places:
            if not self._is_known(place):
                return np.asarray(place)
        return np.asarray(places[0])

    def _is_known(self, place: Floats) -> bool:
        return place in self._evaluations or place in self._pending

    def _learn(self, place: Floats, value: float, proposal: Proposal) -> None:
        if not math.isnan(value) or self._evaluations.n_succeeded:
            label = self._evaluations.worst if math.isnan(value) else value
            label = min(max(label, -LARGEST_VALUE), LARGEST_VALUE)
            self.surrogate_.learn_one(self.space.columns(place[None])[0], label)
        self._evaluations.add(place, value)
        self._descents.record(proposal.search, proposal.is_step)


class _Beliefs:
    """While it is entered, the forest believes that pending evaluations have turned out as it expected."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._forest = optimizer.surrogate_
        pending = optimizer._pending.places[-MOST_BELIEVED:]
        self._columns = optimizer.space.columns(pending) if len(pending) else pending
        self._labels: list[float] = []

    def __enter__(self) -> None:
        for row in self._columns:
            self._labels.append(float(self._forest.predict_one(row)))
            self._forest.learn_one(row, self._labels[-1])

    def __exit__(self, *_: object) -> None:
        if self._labels:
            self._forest.unlearn(self._columns[: len(self._labels)], np.array(self._labels))


def _value(value: Any) -> float:
    """Read a value; NaN for all that stands for none."""
    if value is None:
        return math.nan
    value = value.item() if isinstance(value, np.ndarray | np.generic) else value
    if not isinstance(value, RealNumber):
        raise ValueError(f"a value must be a number, or None if the evaluation failed, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan
