"use strict";
// Draws what was sampled: samples by depth of the stack and package, exclusive and inclusive, and the table by package.
const SHOWN = 14;
const COLOURS = ["#0b66c3", "#d1570a", "#2a8f4f", "#b3312f", "#7d5bd0", "#8a5a2b", "#c2489b", "#8f9a12", "#0f9aa8", "#e0a100",
  "#3f5bd9", "#1d7a6b", "#a64b7c", "#5f8f2f", "#9aa0a6"];

function element(tag, content, attributes = {}) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...[content ?? []].flat());
  return made;
}

function diagram(weights, kind) {
  const names = weights.packages.slice().sort((a, b) => b.inclusive - a.inclusive).slice(0, SHOWN).map((one) => one.name);
  const domain = [...names, "others"];
  const named = (cell) => names.includes(cell.package) ? cell.package : "others";
  // Every package at every depth, so that areas do not jump over gaps.
  const depths = d3.range(1, d3.max(weights.cells, (cell) => cell.depth) + 1);
  const sums = d3.rollup(weights.cells, (cells) => d3.sum(cells, (cell) => cell[kind]), named, (cell) => cell.depth);
  const data = domain.flatMap((name) => depths.map((depth) =>
    ({ name, depth, part: 100 * (sums.get(name)?.get(depth) ?? 0) / Math.max(weights.work, 1) })));
  const hover = (one) => `${one.name}\ndepth ${one.depth}\n${one.part.toFixed(1)} %`;
  return Plot.plot({ width: 1000, height: 340, marginLeft: 55, style: { fontSize: "13px", fontFamily: "inherit" },
    color: { domain, range: COLOURS, legend: true },
    x: { label: "depth of the stack" }, y: { label: "% of samples", grid: true },
    marks: [
      Plot.rectY(data.filter((one) => one.part > 0), Plot.stackY({ x1: (one) => one.depth - 0.5, x2: (one) => one.depth + 0.5,
        y: "part", fill: "name", order: domain, title: hover, tip: true })),
    ] });
}

function packages(weights) {
  const part = (count) => `${(100 * count / Math.max(weights.work, 1)).toFixed(1)} %`;
  const rows = weights.packages.filter((one) => one.inclusive * 500 > weights.work);
  return element("div", element("table", [
    element("tr", ["package", "samples", "exclusive", "inclusive"].map((name) => element("th", name))),
    ...rows.map((one) => element("tr", [element("td", one.name), element("td", `${one.exclusive}`),
      element("td", part(one.exclusive)), element("td", part(one.inclusive))])),
  ]), { className: "wide" });
}

// What one file of stacks says; `heading` is the tag of its name.
function stacks({ name, weights }, heading) {
  const all = weights.work + weights.waiting;
  return [element(heading, name),
    element("p", `${weights.work} samples of work; ${weights.waiting} more (${(100 * weights.waiting / all).toFixed(0)} %) waited.`),
    element("p", "Exclusive: what ran"), element("figure", diagram(weights, "exclusive")),
    element("p", "Inclusive: on whose behalf"), element("figure", diagram(weights, "inclusive")),
    element("p", "By package"), packages(weights)];
}
