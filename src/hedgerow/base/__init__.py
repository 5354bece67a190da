"""What every model is made of: an estimator, which users touch; settings; and a learner, which knows no user."""
