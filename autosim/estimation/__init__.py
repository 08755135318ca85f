"""Estimation of a robot's own motion: error models, and filters that know their covariance.

Arithmetic alone: compiled kernels over arrays of all robots, in double precision and in a fixed
order, so that the same input gives the same bits. It knows no tree, no devices and no files; the
kinds that own a robot's belief (`autosim.kinds.owners`) feed it.

- `rotations.py`: quaternions and rotation vectors, for kernels.
- `inertial.py`: dead reckoning from a gyroscope and an accelerometer, with its covariance.
- `corrections.py`: what a fix, a heading or a speed says of the errors.
- `inertial_filter.py`: both together, for all robots, with measurements that come late.
- `error_process.py`: errors of a given size and drift, for owners that make belief from truth.
- `consistency.py`: whether a covariance is as large as the errors are.
- `slipless.py`: how a car moves whose wheels do not slip, for projection and for controllers.
- `state_projector.py`: from records that come late and in any order to where the car will be.
- `state_estimator.py`: that, with the table of the newest curve: what a controller asks each step.

The error of a belief has nine values in this order: of the position [m] in W, of the orientation
[rad] as a rotation vector in W, of the velocity [m/s] in W. An error is what has to be added to the
belief to get the truth: p = p̂ + δp, R = Exp(δθ) R̂, v = v̂ + δv.
"""
