"""The picture: one HTML file with its drawings inside, which needs no network and suits light and dark."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from costs import Costs
from coupling import TOLERANCE, Run
from mesh import HEIGHT, NORTH, SOUTH, WIDTH, Field

matplotlib.use("svg")

# Colours are drawn as these and then replaced by the page's own names, which differ in light and dark.
INK, FAINT, LINE, SEA, AIR, THIRD = "#010101", "#020202", "#030303", "#040404", "#050505", "#060606"
NAMES = {INK: "ink", FAINT: "faint", LINE: "line", SEA: "blue", AIR: "orange", THIRD: "green"}

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "castile",
    "font.family": "sans-serif",
    "font.size": 11.0,
    "text.color": INK,
    "axes.labelcolor": FAINT,
    "axes.edgecolor": LINE,
    "axes.linewidth": 1.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": FAINT,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Castile: an ocean and an atmosphere, coupled over SOAP</title>
<style>
:root {{
  --paper: #fcfcfb; --ink: #16191d; --faint: #5a6068; --line: #dfe1e4;
  --blue: #1f6fc4; --orange: #c2560c; --green: #23825a;
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --paper: #15181c; --ink: #eceef0; --faint: #a4abb3; --line: #343a41;
    --blue: #62a8f5; --orange: #f0924a; --green: #52bd8d;
  }}
}}
body {{
  margin: 0 auto; padding: 2.5rem 1.25rem 3rem; max-width: 60rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif;
}}
h1 {{ font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; font-weight: 650; }}
h2 {{ font-size: 1.1rem; margin: 2.5rem 0 .1rem; font-weight: 650; }}
p {{ margin: 0 0 .75rem; max-width: 46rem; color: var(--faint); text-wrap: pretty; }}
ul {{ list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: .25rem 1.5rem; font-size: .9rem; }}
li::before {{ content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .45em;
  border-radius: .15em; background: var(--mark); }}
dl {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
  gap: 1rem; margin: 1.5rem 0 0; }}
dt {{ color: var(--faint); font-size: .8rem; }}
dd {{ margin: 0; font-size: 1.45rem; font-weight: 600; font-variant-numeric: tabular-nums; }}
svg {{ display: block; width: 100%; height: auto; }}
svg text {{ font-family: inherit !important; }}
</style>
<h1>An ocean and an atmosphere, coupled over SOAP</h1>
<p>{lead}</p>
<dl>{figures}</dl>
<h2>Convergence</h2>
<p>The largest residual on each side of the interface after each exchange.</p>
{convergence}
<h2>The cost of each message pair</h2>
<p>Encoding and decoding are summed over both sides; the time the models compute is left out.</p>
<ul>{legend}</ul>
{cost}
<h2>Where they ended</h2>
<p>What crossed the interface in the last exchange.</p>
{maps}
</html>
"""


def write(path: Path, run: Run, costs: Costs, seconds: float) -> None:
    """Writes the page about one finished run."""
    per_pair = {name: float(np.median(values)) for name, values in costs.parts().items()}
    figures = {
        "exchanges until converged": f"{run.steps}",
        "mesh points a request": f"{len(run.ocean.rows):,}",
        "sent and received": f"{_megabytes(costs):,.0f} MB",
        "a message pair, median": f"{sum(per_pair.values()) / 1000:.1f} ms",
        "whole run": f"{seconds:.1f} s",
    }
    lead = (
        "Two processes, one model each. In every step the ocean sends its surface temperature, point by "
        "point, and the atmosphere answers with the heat flux. All values equal those of the same models "
        "in one process, bit for bit."
    )
    with matplotlib.rc_context(STYLE):
        page = PAGE.format(
            lead=html.escape(lead),
            figures="".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures.items()),
            convergence=_convergence(run),
            legend=_legend(costs),
            cost=_cost(costs),
            maps=_maps(run),
        )
    path.write_text(page, encoding="utf-8")


def _convergence(run: Run) -> str:
    figure, axes = _chart(height=3.2)
    steps = np.arange(1, run.steps + 1)
    for values, colour, label, offset, side in (
        (run.atmosphere_residual, AIR, "atmosphere, W/m²", (8, 6), "left"),
        (run.ocean_residual, SEA, "ocean, K", (-8, -16), "right"),
    ):
        axes.semilogy(steps, values, color=colour, linewidth=2.0)
        middle = len(steps) // 3
        axes.annotate(
            label,
            (steps[middle], values[middle]),
            xytext=offset,
            textcoords="offset points",
            horizontalalignment=side,
            color=colour,
            weight="bold",
        )
    axes.axhline(TOLERANCE, color=FAINT, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.annotate(
        "tolerance", (0, TOLERANCE), xytext=(6, 5), textcoords="offset points", color=FAINT, fontsize=10
    )
    axes.set_xlim(0, run.steps)
    axes.set_xlabel("exchange")
    axes.yaxis.set_major_formatter(FuncFormatter(_power_of_ten))
    axes.minorticks_off()
    return _svg(figure, "Residuals fall steadily below the tolerance on both sides")


def _cost(costs: Costs) -> str:
    figure, axes = _chart(height=3.2)
    parts = costs.parts()
    steps = np.arange(1, costs.ocean.messages + 1)
    layers = [values / 1000.0 for values in parts.values()]
    axes.stackplot(steps, *layers, colors=(SEA, AIR, THIRD), alpha=0.85, linewidth=0, step="mid")
    total = np.sum(layers, axis=0)
    top = 1.25 * float(np.quantile(total, 0.99))
    axes.set_ylim(0, top)
    axes.set_xlim(1, len(steps))
    axes.set_xlabel("exchange")
    axes.set_ylabel("milliseconds")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.grid(axis="x", visible=False)
    return _svg(figure, "Milliseconds of encoding, network and decoding for each exchange")


def _legend(costs: Costs) -> str:
    """The parts of the cost with their shares, the topmost layer of the drawing first."""
    parts = list(zip(costs.shares().items(), (SEA, AIR, THIRD), strict=True))
    return "".join(
        f'<li style="--mark: var(--{NAMES[colour]})">{name} {share:.0%}</li>'
        for (name, share), colour in reversed(parts)
    )


def _maps(run: Run) -> str:
    figure = Figure(figsize=(9.6, 3.3), layout="constrained")
    left, right = figure.subplots(1, 2)
    sea = np.where(run.ocean.sea, run.ocean.temperature, np.nan)
    assert run.flux is not None
    lost = np.full((int(run.flux["y"].max()) + 1, int(run.flux["x"].max()) + 1), np.nan)
    lost[run.flux["y"], run.flux["x"]] = np.where(run.flux["value"] == 0.0, np.nan, -run.flux["value"])
    _map(left, sea, "Surface of the sea, °C", "turbo")
    _map(right, lost, "Heat that the sea gives off, W/m²", "inferno")
    return _svg(figure, "Maps of sea surface temperature and of the heat that the sea gives off")


def _map(axes: Axes, field: Field, title: str, colours: str) -> None:
    extent = (0.0, WIDTH / 1000.0, SOUTH, NORTH)
    square = HEIGHT / WIDTH * extent[1] / (NORTH - SOUTH)
    picture = axes.imshow(field, origin="lower", cmap=colours, extent=extent, aspect=square)
    axes.contour(np.isnan(field), levels=[0.5], colors=[FAINT], linewidths=0.8, extent=extent)
    axes.set_title(title, loc="left", fontsize=11)
    axes.grid(False)
    axes.set_xlabel("km")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}°N"))
    bar = axes.inset_axes((1.04, 0.0, 0.035, 1.0))
    colorbar = picture.figure.colorbar(picture, cax=bar)
    colorbar.outline.set_visible(False)


def _chart(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(9.6, height), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Figure, description: str) -> str:
    """The drawing as an element that takes its colours from the page."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    for colour, name in NAMES.items():
        svg = svg.replace(colour, f"var(--{name})")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    label = html.escape(description, quote=True)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def _power_of_ten(value: float, _: int) -> str:
    """10^n with the exponent raised, as plain text that any font shows."""
    exponent = round(float(np.log10(value)))
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}"


def _megabytes(costs: Costs) -> float:
    return float(np.sum(costs.ocean.sent_bytes) + np.sum(costs.atmosphere.sent_bytes)) / 1e6
