"""Learns to follow lanes, by proximal policy optimisation in a thousand cars at once.

    pip install 'autosim[learning]' torch
    python examples/learn_to_drive.py --out driver.npz

After some five minutes on two cores the policy keeps to its lane; `userprograms/learned_driver.py`
drives with it in the physics. The algorithm is that of Schulman et al. (2017), written in one file
as CleanRL does: change what you like.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from autosim.charts import LineSeries, Panel, draw_sheet
from autosim.environments.fleet import FleetVectorEnv
from autosim.environments.rewards import (
    ActionRate,
    LaneOffset,
    LateralAcceleration,
    Progress,
    Speeding,
)
from autosim.environments.tasks import FollowLane

CARS, STEPS = 1000, 32  # cars, and steps of each between two updates
EPOCHS, MINIBATCHES = 4, 8  # how often the policy learns from them, and in how many pieces
DISCOUNT, TRACE = 0.98, 0.95  # of rewards to come; of the estimate of advantages
# Gentler than the default: cars of the physics brake later and turn wider than those of a fleet.
TASK = FollowLane(
    rewards=(
        Progress(),
        LaneOffset(1.0),
        ActionRate(0.06),
        Speeding(),
        LateralAcceleration(0.6, most=2.0),
    )
)
CLIP, ENTROPY, VALUE = 0.2, 0.001, 0.5  # of the policy's change; weights of the losses
RATE, HIDDEN = 1e-3, 64  # learning rate, and width of both layers


class Policy(nn.Module):
    """From what a car sees to its actions, and to how much is to be expected."""

    def __init__(self, width, actions):
        super().__init__()
        self.actor = layers(width, actions, 0.01)
        self.critic = layers(width, 1, 1.0)
        self.log_deviation = nn.Parameter(torch.full((actions,), -0.7))

    def actions(self, seen):
        """The distribution of actions."""
        return torch.distributions.Normal(self.actor(seen), self.log_deviation.exp())


def layers(width, outputs, gain):
    """Two layers of tanh, and one of sums."""
    found = [nn.Linear(width, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, outputs)]
    for layer, scale in zip(found, (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(found[0], nn.Tanh(), found[1], nn.Tanh(), found[2])


def drive(environment, policy, seen):
    """Drives all cars for `STEPS` steps: what they saw, did and got."""
    records = []
    for _ in range(STEPS):
        with torch.no_grad():
            given = torch.from_numpy(seen)
            choice = policy.actions(given)
            actions = choice.sample()
            worth = policy.critic(given)[:, 0]
            chance = choice.log_prob(actions).sum(1)
        seen, rewards, ended, cut, info = environment.step(actions.numpy())
        if cut.any():  # A drive that time has cut short would have gone on.
            with torch.no_grad():
                later = policy.critic(torch.from_numpy(info["final_obs"][cut]))[:, 0]
            rewards[cut] += DISCOUNT * later.numpy()
        over = torch.from_numpy(ended | cut)
        records.append((given, actions, chance, worth, torch.from_numpy(rewards).float(), over))
    return seen, [torch.stack(each) for each in zip(*records, strict=True)]


def advantages(policy, seen, worth, rewards, over):
    """How much better each step was than expected: generalised advantage estimation."""
    with torch.no_grad():
        following = policy.critic(torch.from_numpy(seen))[:, 0]
    found, ahead = torch.zeros_like(worth), torch.zeros_like(following)
    for step in reversed(range(STEPS)):
        goes_on = (~over[step]).float()
        surprise = rewards[step] + DISCOUNT * following * goes_on - worth[step]
        ahead = surprise + DISCOUNT * TRACE * goes_on * ahead
        found[step], following = ahead, worth[step]
    return found


def improve(policy, optimiser, records, gains):
    """Learns from one round of driving."""
    given, actions, chance, worth = (each.flatten(0, 1) for each in records[:4])
    gains = gains.flatten()
    wanted = gains + worth
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gains)).chunk(MINIBATCHES):
            choice = policy.actions(given[rows])
            ratio = (choice.log_prob(actions[rows]).sum(1) - chance[rows]).exp()
            gain = gains[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            held = ratio.clamp(1.0 - CLIP, 1.0 + CLIP)
            loss = -torch.min(ratio * gain, held * gain).mean()
            loss = loss + VALUE * (policy.critic(given[rows])[:, 0] - wanted[rows]).square().mean()
            loss = loss - ENTROPY * choice.entropy().sum(1).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimiser.step()


def save(policy, path):
    """Writes the layers that choose actions, as arrays: to drive needs no torch."""
    arrays = {}
    for number, layer in enumerate(each for each in policy.actor if hasattr(each, "weight")):
        arrays[f"weight_{number}"] = layer.weight.detach().numpy()
        arrays[f"bias_{number}"] = layer.bias.detach().numpy()
    np.savez(path, **arrays)


def draw(curve):
    """The learning curve as an SVG file."""
    steps, rewards, ends = np.array(curve).T
    panels = [
        Panel(title, "steps of cars [millions]", label, [LineSeries(steps / 1e6, values)])
        for title, label, values in (
            ("Reward of a step", "", rewards),
            ("Episodes that end in a minute of driving", "[1/min]", ends),
        )
    ]
    return draw_sheet(panels, columns=2, size=(420, 260))


def main():
    """Learns, prints how it goes, and writes the policy and its learning curve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--world", default="worlds/circle_town.xml")
    parser.add_argument("--updates", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("driver.npz"))
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)  # The layers are too small to share.
    environment = FleetVectorEnv(
        given.world, cars=CARS, rays=0, task=TASK, autoreset_mode="SameStep"
    )
    policy = Policy(*environment.single_observation_space.shape, 2)
    optimiser = torch.optim.Adam(policy.parameters(), RATE, eps=1e-5)
    seen, _ = environment.reset(seed=given.seed)
    began, curve = time.monotonic(), []
    for update in range(given.updates):
        optimiser.param_groups[0]["lr"] = RATE * (1.0 - update / given.updates)
        seen, records = drive(environment, policy, seen)
        gains = advantages(policy, seen, *records[3:])
        improve(policy, optimiser, records, gains)
        reward = float(records[4].mean())
        failed = float(records[5].sum()) / CARS / (STEPS * 0.1) * 60.0
        curve.append(((update + 1) * CARS * STEPS, reward, failed))
        if update % 10 == 9:
            text = f"{curve[-1][0]:9d} steps, {time.monotonic() - began:5.0f} s: "
            print(text + f"reward {reward:+.3f} a step, {failed:.2f} ends a minute", flush=True)
    save(policy, given.out)
    header = "steps,reward_per_step,ends_per_minute"
    np.savetxt(given.out.with_suffix(".csv"), curve, "%g", ",", header=header, comments="")
    given.out.with_suffix(".svg").write_text(draw(curve), encoding="utf-8")


if __name__ == "__main__":
    main()
