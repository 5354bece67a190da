"""A sparse Gaussian process, learned by stochastic variational inference (Hensman, Fusi and Lawrence 2013)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.shared.data import Floats

N_INDUCING, N_BATCH, N_STEPS, STEP = 200, 1000, 2000, 0.01


class SparseProcess:
    """GPyTorch's, with a Gaussian kernel that has a length scale for each column; columns and targets standardised."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: Floats, y: Floats) -> SparseProcess:
        """Maximise the evidence bound over inducing points, their posterior, length scales and noise, by Adam."""
        import gpytorch
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        rng = np.random.default_rng(self.seed)
        self.of_columns, self.of_target = StandardScaler().fit(X), StandardScaler().fit(y[:, None])
        rows = self._tensor(X)
        targets = torch.tensor(self.of_target.transform(y[:, None])[:, 0], dtype=torch.float32)
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood()
        self.process = process(rows[rng.choice(y.size, min(N_INDUCING, y.size), replace=False)])
        bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.process, num_data=y.size)
        adam = torch.optim.Adam([*self.process.parameters(), *self.likelihood.parameters()], lr=STEP)
        for _ in range(N_STEPS):
            batch = torch.from_numpy(rng.integers(y.size, size=N_BATCH))
            adam.zero_grad()
            loss = -bound(self.process(rows[batch]), targets[batch])
            loss.backward()
            adam.step()
        self.process.eval()
        self.likelihood.eval()
        return self

    def mean_and_std(self, X: Floats) -> tuple[Floats, Floats]:
        """Return the mean and standard deviation of targets, noise included."""
        import torch

        with torch.no_grad():
            said = self.likelihood(self.process(self._tensor(X)))
        centre, scale = self.of_target.mean_[0], self.of_target.scale_[0]
        mean, std = (each.numpy().astype(np.float64) for each in (said.mean, said.stddev))
        return centre + scale * mean, scale * std

    def _tensor(self, X: Floats) -> Any:
        import torch

        return torch.tensor(self.of_columns.transform(X), dtype=torch.float32)


def process(inducing: Any) -> Any:
    """Return a Gaussian process with a constant mean, not learned yet."""
    import gpytorch

    class Process(gpytorch.models.ApproximateGP):
        def __init__(self) -> None:
            posterior = gpytorch.variational.CholeskyVariationalDistribution(len(inducing))
            super().__init__(gpytorch.variational.VariationalStrategy(self, inducing, posterior))
            self.mean = gpytorch.means.ConstantMean()
            self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=inducing.shape[1]))

        def forward(self, rows: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean(rows), self.kernel(rows))

    return Process()
