"""Executors of the runs of a sweep: a pool on this machine, Ray, Slurm, Kubernetes.

An executor has one function, `execute(folder, runs, told)`. All of them end in `supervise`, and the
folder shows which runs are done.
"""
