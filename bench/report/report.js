"use strict";
// Draws a run. `REPORT` holds the head of the results, its rows, the papers' figures, and the workloads' titles.
const { head, rows, figures, workloads, bias, profiles } = REPORT;
const ok = rows.filter((row) => row.status === "ok" && row.median > 0);
const described = new Map(head.engines.map((engine) => [engine.name, engine]));
const LIMITS = { "castile-crates": "Castile's crates, in one process", "limit/wire": "limit: the bytes alone", "limit/conversion": "limit: the numbers alone" };
const title = (name) => LIMITS[name] ?? described.get(name)?.title ?? name;
const base = (name) => name.split("/")[0];

// One colour a toolkit; variants are dashed.
const PALETTE = ["#0b66c3", "#d1570a", "#2a8f4f", "#b3312f", "#7d5bd0", "#8a5a2b", "#c2489b", "#6b7280", "#8f9a12", "#0f9aa8",
  "#e0a100", "#3f5bd9", "#1d7a6b", "#a64b7c", "#5f8f2f", "#9a4a1f"];
const bases = [...new Set(head.engines.filter((engine) => !engine.absent).map((engine) => base(engine.name)))];
const colour = (name) => name.startsWith("limit") ? "#888" : PALETTE[bases.indexOf(base(name)) % PALETTE.length];
const dashed = (name) => name.includes("/");

// Variants wait until they are asked for, but in figures that are about them.
const hidden = new Set(head.engines.map((engine) => engine.name).filter(dashed));
const switched = new Set();
const shown = (row, figure) => figure?.engines ? !(switched.has(row.engine) && hidden.has(row.engine)) : !hidden.has(row.engine);

function time(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= size * 0.9995) return `${+(ns / size).toPrecision(3)} ${unit}`;
  }
  return `${+ns.toPrecision(3)} ns`;
}
const count = (n) => n >= 1e6 ? `${n / 1e6}M` : n >= 1e3 ? `${n / 1e3}K` : `${n}`;
function value(row, of = row.median) {
  if (row.unit === "1/s") return `${Math.round(of).toLocaleString("en")} /s`;
  if (row.unit === "part") return `${(100 * of).toPrecision(2)} %`;
  if (row.unit === "bytes") return `${Math.round(of).toLocaleString("en")} bytes`;
  if (row.unit === "KiB") return `${(of / 1024).toFixed(1)} MiB`;
  return time(of);
}

function hover(row) {
  const lines = [`${title(row.engine)}${row.point ? `, ${row.point}` : ""}`, `size ${row.size.toLocaleString("en")}`,
    value(row), `rounds ${value(row, row.low)} to ${value(row, row.high)}`];
  if (row.p99) lines.push(`p99 ${value(row, row.p99)}`);
  if (row.bytes_request) lines.push(`${row.bytes_request.toLocaleString("en")} bytes out`);
  if (row.cpu) lines.push(`CPU ${time(row.cpu)} ${row.calls ? "in all" : "a call"}`);
  if (row.calls) lines.push(`${row.calls.toLocaleString("en")} calls, ${percent(row)} of the time in encoding and decoding`);
  if (row.side) lines.push(`the harness is the other side (engine: ${row.side})`);
  return lines.join("\n");
}

const percent = (row) => `${Math.round(100 * row.codec / row.median)} %`;

// On log axes only 1, 2 and 5 of each decade have labels; where there are many decades, only 1.
function sparse(format, data = []) {
  const [least, most] = d3.extent(data.flatMap((row) => [row.low ?? row.median, row.high ?? row.median]));
  const labelled = most / least > 2000 ? [1] : [1, 2, 5];
  return (n) => labelled.includes(Math.round(n / 10 ** Math.floor(Math.log10(n) + 1e-9))) ? format(n) : "";
}

const AXES = { style: { fontSize: "13px", fontFamily: "inherit" }, width: 1000, marginLeft: 70 };

// Time over size. A series is an engine, or an engine's setting.
function lines(data, series, stroke, { items = "items", rates = "requests a second", marginRight = 230 } = {}) {
  const rate = data[0].unit === "1/s";
  const part = data[0].unit === "part";
  const ordered = data.slice().sort((a, b) => a.size - b.size);
  const several = new Set(data.map((row) => row.size)).size > 1;
  const solid = ordered.filter((row) => !dashed(row.engine));
  const broken = ordered.filter((row) => dashed(row.engine));
  const options = { x: "size", y: "median", z: series, stroke, strokeWidth: 2 };
  const last = [...new Map(ordered.map((row) => [series(row), row])).values()];
  const most = d3.max(ordered, (row) => row.size);
  // All names stand at the right edge, where lines that end earlier say so.
  const named = (row) => row.size < most ? `${series(row)} (to ${count(row.size)})` : series(row);
  const range = d3.extent(ordered.flatMap((row) => [row.low ?? row.median, row.high ?? row.median]));
  return Plot.plot({ ...AXES, height: 460, marginRight,
    x: { type: "log", label: items, tickFormat: sparse(count), grid: true,
      domain: several ? undefined : [ordered[0].size / 2, ordered[0].size * 2] },
    y: part ? { label: null, tickFormat: "%", grid: true, domain: [0, 1] }
      : { type: "log", label: rate ? rates : null, tickFormat: sparse(rate ? count : time, ordered), grid: true,
        domain: range[0] < range[1] ? range : [range[0] / 2, range[0] * 2] },
    marks: [
      Plot.ruleX(ordered.filter((row) => row.low), { x: "size", y1: "low", y2: "high", stroke, strokeOpacity: 0.35, strokeWidth: 3 }),
      Plot.line(solid, options),
      Plot.line(broken, { ...options, strokeDasharray: "5 4" }),
      Plot.dot(ordered, { x: "size", y: "median", fill: stroke, r: 3 }),
      Plot.text(part ? spread(last, [0, 1], (n) => n, (n) => n) : spread(last, range),
        { x: () => most, y: "at", text: named, fill: stroke, textAnchor: "start", dx: 9, fontSize: 12 }),
      Plot.tip(ordered, Plot.pointer({ x: "size", y: "median", title: hover, fontSize: 13 })),
    ] });
}

// Names of lines, moved apart on the scale that `there` makes even and `back` undoes, first upwards and then back from the top.
function spread(last, range, there = Math.log, back = Math.exp) {
  const [bottom, top] = range.map(there);
  // 13 of about 410 pixels.
  const step = Math.max((top - bottom) * 0.033, 0.02);
  const sorted = last.slice().sort((a, b) => a.median - b.median);
  let below = -Infinity;
  const places = sorted.map((row) => below = Math.max(there(row.median), below + step));
  return sorted.map((row, index) => ({ ...row, at: back(Math.min(places[index], top - (sorted.length - 1 - index) * step)) }));
}

function bars(data, label, stroke = (row) => colour(row.engine)) {
  const rate = data[0].unit === "1/s";
  const sorted = data.slice().sort((a, b) => rate ? b.median - a.median : a.median - b.median);
  const names = sorted.map(label);
  const marginLeft = Math.max(250, 7.5 * d3.max(names, (one) => one.length));
  // A round that went badly must not make the scale.
  const least = d3.min(sorted, (row) => row.median) / 1.6;
  const most = d3.min([d3.max(sorted, (row) => row.high ?? row.median), 3 * d3.max(sorted, (row) => row.median)]);
  const within = (n) => Math.min(Math.max(n, least), most);
  return Plot.plot({ ...AXES, height: 40 + 24 * sorted.length, marginLeft, marginRight: 110,
    x: { type: "log", label: null, tickFormat: sparse(rate ? count : time, [{ low: least, high: most }]), grid: true,
      domain: [least, most] },
    y: { label: null, domain: names },
    marks: [
      Plot.ruleY(sorted, { y: label, x1: least, x2: "median",
        stroke, strokeWidth: 12, strokeOpacity: (row) => dashed(row.engine) ? 0.55 : 1 }),
      Plot.ruleY(sorted, { y: label, x1: (row) => within(row.low ?? row.median), x2: (row) => within(row.high ?? row.median),
        stroke: "currentColor", strokeWidth: 1.5 }),
      Plot.text(sorted, { y: label, x: (row) => within(row.high ?? row.median), text: (row) => value(row), textAnchor: "start", dx: 7 }),
      Plot.tip(sorted, Plot.pointerY({ y: label, x: "median", title: hover, fontSize: 13 })),
    ] });
}

// Settings of engines at one size: a line of dots an engine.
function dots(data, settings, range) {
  const label = (row) => title(row.engine);
  const order = d3.groupSort(data, (own) => d3.min(own, (row) => row.median), label);
  return Plot.plot({ ...AXES, height: 60 + 24 * order.length, marginLeft: 250,
    color: { legend: true, domain: settings, range },
    x: { type: "log", label: null, tickFormat: sparse(time, data), grid: true }, y: { label: null, domain: order, grid: true },
    marks: [
      Plot.ruleY(data, { y: label, x1: "low", x2: "high", stroke: "point", strokeOpacity: 0.4, strokeWidth: 3 }),
      Plot.dot(data, { y: label, x: "median", fill: "point", r: 5 }),
      Plot.tip(data, Plot.pointer({ y: label, x: "median", title: hover, fontSize: 13 })),
    ] });
}

// One plot an engine that has several settings, with the same scales.
function points(data) {
  const settings = [...new Set(data.map((row) => row.point))];
  const of = new Map(d3.group(data, (row) => row.engine));
  const scheme = d3.quantize(d3.interpolateTurbo, settings.length + 2).slice(1, -1);
  if (new Set(data.map((row) => row.size)).size === 1) return dots(data, settings, scheme);
  const domain = d3.extent(data, (row) => row.median);
  const plots = [...of].map(([engine, own]) => {
    const stroke = (row) => scheme[settings.indexOf(row.point)];
    const ordered = own.slice().sort((a, b) => a.size - b.size);
    return Plot.plot({ ...AXES, width: 490, height: 300, subtitle: title(engine),
      color: { legend: true, domain: settings, range: scheme },
      x: { type: "log", label: "items", tickFormat: sparse(count), grid: true, ticks: 4,
        domain: [d3.min(data, (row) => row.size) / 1.2, d3.max(data, (row) => row.size) * 1.2] },
      y: { type: "log", label: null, tickFormat: sparse(time), grid: true, domain },
      marks: [
        Plot.line(ordered, { x: "size", y: "median", z: "point", stroke, strokeWidth: 2 }),
        Plot.dot(ordered, { x: "size", y: "median", fill: stroke, r: 2.5 }),
        Plot.tip(ordered, Plot.pointer({ x: "size", y: "median", title: hover, fontSize: 13 })),
      ] });
  });
  return element("div", plots, { style: "display:flex;flex-wrap:wrap;gap:14px" });
}

// Curves of programs that are no engines: a line a point, beside lines of engines; bars where there is one size.
function curves(data, label, words) {
  const names = [...new Set(data.map(label))];
  const stroke = (row) => PALETTE[names.indexOf(label(row)) % PALETTE.length];
  return new Set(data.map((row) => row.size)).size === 1 ? bars(data, label, stroke) : lines(data, label, stroke, words);
}

// A group of bars a case.
function starts(data) {
  const timed = data.filter((row) => row.unit === "ns" && row.point && !row.point.startsWith("CPU"));
  return Plot.plot({ ...AXES, height: 30 + 26 * d3.sum(d3.group(timed, (row) => row.point), () => 1) +
      16 * timed.length, marginLeft: 250, marginRight: 190,
    x: { type: "log", label: null, tickFormat: sparse(time), grid: true }, y: { label: null }, fy: { label: null, axis: "right" },
    marks: [
      Plot.ruleY(timed, { fy: "point", y: (row) => title(row.engine), x1: d3.min(timed, (row) => row.median) / 1.6, x2: "median",
        stroke: (row) => colour(row.engine), strokeWidth: 8 }),
      Plot.tip(timed, Plot.pointerY({ fy: "point", y: (row) => title(row.engine), x: "median", title: hover, fontSize: 13 })),
    ] });
}

// An engine a line, what was measured a column.
function columns(data) {
  const point = (row) => row.point ?? "";
  const names = [...new Set(data.map(point))].sort(d3.ascending);
  const of = d3.sort(d3.groups(data, (row) => row.engine), ([, own]) => own.find((row) => !row.point)?.median ?? Infinity);
  const cell = (row) => element("td", row ? value(row) : "", { title: row ? hover(row) : "" });
  return element("div", element("table", [
    element("tr", ["engine", ...names.map((name) => name || "start to first reply")].map((name) => element("th", name, { style: "white-space:normal" }))),
    ...of.map(([engine, own]) => element("tr", [element("td", title(engine)),
      ...names.map((name) => cell(own.find((row) => point(row) === name)))])),
  ]), { className: "wide" });
}

// Which part of each engine's time the conversion of the numbers alone would take.
function shares(data) {
  const alone = data.find((row) => row.engine === "limit/conversion");
  const own = data.filter((row) => !row.engine.startsWith("limit"));
  if (!alone) return element("p", "The limit is not in this run.", { className: "none" });
  const share = (row) => alone.median / row.median;
  const sorted = own.sort((a, b) => share(b) - share(a));
  const label = (row) => title(row.engine);
  return Plot.plot({ ...AXES, height: 40 + 24 * sorted.length, marginLeft: 250, marginRight: 110,
    x: { label: null, tickFormat: "%", grid: true, domain: [0, Math.max(1, ...sorted.map(share))] },
    y: { label: null, domain: sorted.map(label) },
    marks: [
      Plot.ruleY(sorted, { y: label, x1: 0, x2: share, stroke: (row) => colour(row.engine), strokeWidth: 12,
        strokeOpacity: (row) => dashed(row.engine) ? 0.55 : 1 }),
      Plot.text(sorted, { y: label, x: share, text: (row) => `${(100 * share(row)).toPrecision(2)} %`, textAnchor: "start", dx: 7 }),
      Plot.tip(sorted, Plot.pointerY({ y: label, x: share, title: hover, fontSize: 13 })),
    ] });
}

// The figures of a plot, and what is missing from it with the reason.
function table(data, missing) {
  const columns = [...new Set(data.map((row) => row.size))].sort((a, b) => a - b);
  const groups = d3.groups(data, (row) => `${title(row.engine)}${row.point ? ` · ${row.point}` : ""}`);
  const rate = data.some((row) => row.unit === "1/s");
  const best = new Map(columns.map((size) => {
    const here = data.filter((row) => row.size === size && !row.engine.startsWith("limit"));
    return [size, (rate ? d3.max : d3.min)(here, (row) => row.median)];
  }));
  const cell = (own, size) => {
    const row = own.find((one) => one.size === size);
    if (!row) return element("td", "");
    return element("td", value(row), { className: row.median === best.get(size) ? "best" : "",
      title: `${value(row, row.low)} to ${value(row, row.high)}, ${row.samples} calls` });
  };
  const made = element("table", [
    element("tr", [element("th", "engine"), ...columns.map((size) => element("th", count(size)))]),
    ...groups.map(([name, own]) => element("tr", [element("td", name), ...columns.map((size) => cell(own, size))])),
  ]);
  const reasons = d3.groups(missing, (row) => `${row.engine}|${row.status}|${row.why}`).map(([, own]) => own[0]);
  const list = element("table", reasons.map((row) => element("tr", [element("td", title(row.engine)),
    element("td", `${row.status}: ${row.why}`, { className: "why" })])));
  const waits = data.filter((row) => row.stalled).sort((a, b) => b.stalled - a.stalled);
  const waited = waits.length ? [element("p", `The machine was short of memory at size ${[...new Set(waits.map((row) => count(row.size)))].join(", ")}: ` +
    `some program waited for it in up to ${(100 * waits[0].stalled).toPrecision(2)} % of the time.`, { className: "soft" })] : [];
  return element("details", [element("summary", `table${reasons.length ? `, and ${reasons.length} that are not here` : ""}`),
    element("div", [made, ...waited, list], { className: "wide" })]);
}

// What runs of applications were made of.
function whole(data) {
  const number = (n) => element("td", n ? n.toLocaleString("en") : "");
  const ordered = d3.sort(data, (row) => row.size, (row) => row.median);
  return element("div", element("table", [
    element("tr", ["size", "engine", "time", "calls", "bytes out", "bytes in", "encoding and decoding", "CPU", "memory of the client"]
      .map((name) => element("th", name))),
    ...ordered.map((row) => element("tr", [number(row.size), element("td", title(row.engine)), element("td", value(row)),
      number(row.calls), number(row.bytes_request), number(row.bytes_reply), element("td", `${time(row.codec)}, ${percent(row)}`),
      element("td", row.cpu ? time(row.cpu) : ""), element("td", row.peak_kib ? `${(row.peak_kib / 1024).toFixed(1)} MiB` : "")])),
  ]), { className: "wide" });
}

// The rows of a figure. The row of a cell without a point is the time to the first reply, which is a figure of its own.
const belongs = (figure) => (row) => row.workload === figure.workload && row.measure === figure.measure &&
  (figure.point == null || row.point === figure.point) && (figure.size == null || row.size === figure.size) &&
  (figure.engines == null || figure.engines.some((name) => row.engine === name || `${base(row.engine)}/*` === name)) &&
  (figure.form !== "bars" || figure.point != null || row.workload !== "cold-start" || !row.point);
// Rows of engines that stand beside a figure of something else.
const beside = (figure) => (row) => figure.beside != null && belongs(figure.beside)(row);
const has = (figure) => ok.some(belongs(figure));

// What the run had no time for, as far as no later one brought it.
function untimed(figure) {
  const fits = (left) => belongs({ ...figure, size: null, engines: null })({ ...left, point: left.point ?? "", engine: "" });
  const gone = (left) => left.sizes.filter((size) => (figure.size == null || size === figure.size) &&
    !rows.some((row) => row.workload === left.workload && row.measure === left.measure && row.size === size &&
      (row.point ?? "") === (left.point ?? "") && dashed(row.engine) === left.variants && !row.engine.startsWith("limit")));
  const words = (left, sizes) => `${left.variants ? "variants at " : ""}${sizes.map(count).join(", ")}${left.point && figure.point == null ? ` (${left.point})` : ""}`;
  return (head.left_out ?? []).filter(fits).map((left) => [left, gone(left)]).filter(([, sizes]) => sizes.length)
    .map(([left, sizes]) => words(left, sizes));
}

const heading = (figure) =>
  element("h3", [`${figure.title} `,
    element("small", +figure.paper >= 0 ? `paper ${figure.paper}, ${figure.name}` : figure.name)]);

function draw(figure) {
  const fits = belongs(figure);
  const all = ok.filter(fits);
  const data = all.filter((row) => shown(row, figure)).concat(ok.filter(beside(figure)));
  const missing = rows.filter((row) => fits(row) && row.status !== "ok");
  const about = figure.about ?? workloads[figure.workload]?.about ?? "";
  const parts = [heading(figure), element("p", about, { className: "soft" })];
  if (!data.length) {
    parts.push(element("p", "All of its engines are switched off above.", { className: "none" }));
  } else {
    const name = (row) => title(row.engine);
    const one = new Set(data.map((row) => row.size)).size === 1;
    if (one && ["lines", "points"].includes(figure.form)) parts.push(element("p", `${count(data[0].size)} items`, { className: "soft" }));
    const forms = {
      lines: () => one ? forms.bars() : lines(data, name, (row) => colour(row.engine)),
      bars: () => bars(data, (row) => row.workload === "calibration" ? `${row.point}, ${count(row.size)}` : name(row)),
      points: () => points(data.filter((row) => !row.engine.startsWith("limit"))),
      starts: () => starts(data),
      shares: () => shares(data),
      curves: () => curves(data, (row) => row.engine === "castile-crates" || row.workload === "calibration" ? row.point : name(row),
        { items: figure.items, rates: figure.rates, marginRight: 290 }),
    };
    parts.push(element("figure", forms[figure.form]()));
    if (figure.measure === "application") parts.push(whole(data));
    if (figure.form === "starts") parts.push(columns(data));
  }
  const left = untimed(figure);
  if (left.length) parts.push(element("p", `Left out for want of time: ${left.join("; ")}.`, { className: "none" }));
  if (all.length || missing.length) parts.push(table(data, missing));
  return element("section", parts);
}

// Castile : engine : limit.
function ratios() {
  const wanted = [["echo-void", 1, "endtoend"]];
  for (const [workload, size] of [["doubles", 10000], ["doubles", 100000], ["mios", 10000], ["events", 10000]]) {
    for (const measure of ["serialize", "deserialize", "endtoend"]) wanted.push([workload, size, measure]);
  }
  const pick = (engine, [workload, size, measure]) => ok.find((row) => row.engine === engine && row.workload === workload &&
    row.size === size && row.measure === measure);
  const columns = wanted.filter((one) => pick("castile-rust", one));
  if (!columns.length) return element("p", "This run has no rows of Castile to compare with.", { className: "none" });
  const others = head.engines.map((engine) => engine.name).filter((name) => name !== "castile-rust");
  const engines = ["castile-rust", ...others, "limit/wire", "limit/conversion"]
    .filter((engine) => shown({ engine }) && columns.some((one) => pick(engine, one)));
  const cell = (engine, one) => {
    const row = pick(engine, one);
    if (!row) return element("td", "");
    const ratio = row.median / pick("castile-rust", one).median;
    return element("td", engine === "castile-rust" ? value(row) : `${+ratio.toPrecision(3)}`, { title: value(row) });
  };
  return element("div", element("table", [
    element("tr", [element("th", ""), ...columns.map(([workload, size, measure]) =>
      element("th", [`${workload}${size > 1 ? ` ${count(size)}` : ""}`, element("br"), measure]))]),
    ...engines.map((engine) => element("tr", [element("td", title(engine)), ...columns.map((one) => cell(engine, one))])),
  ]), { className: "wide" });
}

function engines() {
  const line = (engine) => element("tr", [
    element("td", engine.homepage && engine.homepage.length > 20
      ? element("a", engine.title, { href: engine.homepage }) : engine.title),
    element("td", engine.version), element("td", engine.language), element("td", engine.style), element("td", engine.licence),
    element("td", engine.absent || engine.note, { className: "why" }),
  ]);
  return element("div", element("table", [
    element("tr", ["engine", "version", "language", "messages", "licence", ""].map((name) => element("th", name))),
    ...head.engines.map(line)]), { className: "wide" });
}

function chips(redraw) {
  const button = (name) => {
    const mark = element("i", "", { className: dashed(name) ? "dashed" : "" });
    mark.style.borderColor = colour(name);
    const made = element("button", [mark, title(name)]);
    made.setAttribute("aria-pressed", String(!hidden.has(name)));
    made.onclick = () => {
      if (!hidden.delete(name)) hidden.add(name);
      switched.add(name);
      made.setAttribute("aria-pressed", String(!hidden.has(name)));
      redraw();
    };
    return made;
  };
  const there = [...new Set(ok.map((row) => row.engine))].filter((name) => described.has(name) || name === "limit/wire" || name === "limit/conversion");
  return element("div", there.map(button), { className: "chips" });
}

const PAPERS = {
  "003": "A benchmark suite for SOAP-based communication in grid web services (003)",
  "000": "Differential serialization for optimized SOAP performance (000)",
  "004": "Investigating the limits of SOAP performance for scientific computing (004)",
  "001": "Optimizing web services performance by differential deserialization (001)",
  "002": "The impact of web service integration on grid performance (002)",
  applications: "Applications run whole",
};

function page() {
  const machine = head.machine.map(([name, text]) => `${name} ${text}`).join(" · ");
  document.querySelector("#machine").textContent =
    `${head.date.replace("T", " ")} UTC · ${head.quick ? "quick run" : "full run"}, at most ${head.rounds} rounds · ${machine}`;
  const left = figures.some((figure) => untimed(figure).length > 0);
  const rest = left ? "is named under each figure" : "was added by later ones";
  document.querySelector("#spared").textContent = [
    ...head.left_out?.length ? [`a run of ${head.minutes} minutes: what it had no time for ${rest}`] : [],
    ...head.spared ?? []].join("; ");
  const main = document.querySelector("main");
  const body = element("div");
  const redraw = () => {
    const parts = [element("h2", "Castile : each engine : limit"),
      element("p", "How many times the time of Castile (Rust) each engine takes; the first row is that time itself.",
        { className: "soft" }), ratios()];
    for (const [paper, name] of Object.entries(PAPERS)) {
      const own = figures.filter((figure) => figure.paper === paper);
      const [there, absent] = [own.filter(has), own.filter((figure) => !has(figure))];
      parts.push(element("h2", name), ...there.map(draw));
      const why = (figure) => workloads[figure.workload]?.unsupported;
      for (const figure of absent.filter(why)) {
        const text = `Not supported yet: ${why(figure)}.`;
        parts.push(element("section", [heading(figure), element("p", text, { className: "none" })]));
      }
      if (paper === "002" && profiles.length) {
        parts.push(element("h3", ["Where the time goes, without notification ", element("small", "paper 002, tables 3 and 4, figures 8 and 9")]),
          ...profiles.flatMap((profile) => stacks(profile, "h4")));
      }
      const left = absent.filter((figure) => !why(figure)).map((figure) => `${figure.title} (${figure.name})`);
      if (left.length) parts.push(element("p", `Nothing was measured in this run for: ${left.join(", ")}.`, { className: "none" }));
    }
    parts.push(element("h2", "Engines"), engines(), element("h2", "Biases"), element("pre", bias));
    body.replaceChildren(...parts);
  };
  main.append(chips(redraw), body);
  redraw();
}

// `report.html#headline` is one figure alone, for an image.
function headline() {
  document.querySelector("header").remove();
  const figure = figures.find((one) => one.workload === "doubles" && one.measure === "endtoend");
  document.querySelector("main").replaceChildren(draw(figure));
}

page();
if (location.hash === "#headline") headline();
