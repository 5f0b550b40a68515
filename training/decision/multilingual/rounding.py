"""Linear layers as the server computes them: each token's input rounded to 8 bits on a scale of its own, weights to 7
bits on one scale for each output channel. Gradients pass through the rounding unchanged (the straight-through
estimator), so a network can be trained so.

multilingual-e5-small has a few channels that are far larger than the others; they would take most of a token's 8
bits. So inputs are first divided by a constant for each channel (`divisor`), and the weights' columns multiplied by
it (SmoothQuant, arXiv 2211.10438).
"""

import torch
import torch.nn.functional as F
from torch import nn

STEPS = 127.0  # of an input, to either side of zero
WEIGHT_STEPS = 63.0  # of a weight: products of this size never saturate 16 bits
LEAST = 1e-9
STRENGTH = 0.5  # how much of the spread of channels is moved from inputs to weights


def round_inputs(x):
    """x [..., channels] rounded token by token; float32 in and out."""
    scale = x.abs().amax(-1, keepdim=True).clamp_min(LEAST) / STEPS
    return (x / scale).round() * scale


def round_weights(w):
    """w [outputs, channels] rounded on one scale for each output."""
    scale = w.abs().amax(1, keepdim=True).clamp_min(LEAST) / WEIGHT_STEPS
    return (w / scale).round() * scale


def round_divided_inputs(x, divisor):
    """`round_inputs` of x / divisor, times divisor, with the gradient of x; of the type of x."""
    wide = x.float()
    return (wide + (round_inputs(wide / divisor) * divisor - wide).detach()).to(x.dtype)


def round_divided_weights(w, divisor):
    """`round_weights` of w times divisor, divided by it, with the gradient of w."""
    return w + (round_weights(w * divisor) / divisor - w).detach()


class Rounding(nn.Module):
    """The inputs of one or several linear layers that share them."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("divisor", torch.ones(width))
        self.on = False
        self.largest = None  # of each channel, while `measure` is on
        self.measuring = False

    def forward(self, x):
        if self.measuring:
            seen = x.detach().float().abs().flatten(0, -2).amax(0)
            self.largest = seen if self.largest is None else torch.maximum(self.largest, seen)
        return INPUTS(x, self.divisor) if self.on else x

    def weight(self, linear):
        """The weight of a linear layer that reads these inputs."""
        return WEIGHTS(linear.weight, self.divisor) if self.on else linear.weight

    def apply_to(self, linear, x):
        """The linear layer on inputs that this module has returned."""
        return F.linear(x, self.weight(linear), linear.bias)

    @torch.no_grad()
    def settle(self, linears):
        """Chooses the divisor from what was measured and from the columns of the layers' weights."""
        columns = torch.stack([layer.weight.abs().amax(0) for layer in linears]).amax(0)
        divisor = self.largest.clamp_min(1e-5) ** STRENGTH / columns.clamp_min(1e-5) ** (1 - STRENGTH)
        self.divisor.copy_(divisor / divisor.log().mean().exp())
        self.largest, self.measuring = None, False


INPUTS, WEIGHTS = round_divided_inputs, round_divided_weights


def compile_rounding(device):
    """Fuses the rounding into one kernel; every later forward uses it. Where compiling fails, it says so and rounding
    stays as it is."""
    global INPUTS, WEIGHTS
    inputs = torch.compile(round_divided_inputs, dynamic=True)
    weights = torch.compile(round_divided_weights, dynamic=True)
    try:
        for width in (384, 1536):
            divisor = torch.ones(width, device=device)
            for kind in (torch.float32, torch.bfloat16):
                x = torch.randn(3, 5, width, device=device, dtype=kind, requires_grad=True)
                inputs(x, divisor).sum().backward()
            weights(torch.randn(7, width, device=device, requires_grad=True), divisor).sum().backward()
    except Exception as error:  # whatever a compiler may raise
        print(f"rounding is not compiled: {error!r}"[:500], flush=True)
    else:
        INPUTS, WEIGHTS = inputs, weights
