/** Plots: the course of values over simulated time. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { type Reading, readingText } from "../link/values";
import type { Page } from "../state/page";
import type { Plot } from "../state/plots";
import { Empty, IconButton } from "./parts";

/** Colours of lines: told apart by those who see few colours, too (Okabe and Ito). */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#e69f00"];
const DARK_COLOURS = ["#6cb4ff", "#ff9d5c", "#4fd3a8", "#f0a3cf", "#e8c547", "#9ad8ff", "#ffc766"];

const HEIGHT = 190;

export function PlotsPanel({ page }: { page: Page }): JSX.Element {
  const plots = page.plots.list.value;
  return (
    <section class="panel plots" aria-label="Plots">
      {plots.length === 0 ? (
        <Empty>
          Double click a value in the tree, or press <kbd>P</kbd> on it, to plot it.{" "}
          <kbd>Shift</kbd> <kbd>P</kbd> adds it to the last plot.
        </Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="All plots">
          {plots.map((each) => (
            <PlotView key={each.id} page={page} plot={each} />
          ))}
        </div>
      )}
    </section>
  );
}

function PlotView({ page, plot }: { page: Page; plot: Plot }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const own = box.current;
    if (own === null) return;
    let chart = drawn(own, plot, page);
    const update = page.plots.tick.subscribe(() => {
      if (page.source.run !== null) {
        // An empty chart has no axes yet that could be drawn again.
        if (chart.data[0].length === 0) return;
        if (typeof chart.cursor.idx !== "number") readAt(chart, page);
        chart.redraw(false, false);
        return;
      }
      chart.setData(plot.data as uPlot.AlignedData);
      // Without the mouse the legend has the newest values.
      const isRead = typeof chart.cursor.idx === "number";
      if (!isRead) chart.setLegend({ idx: (plot.data[0]?.length ?? 0) - 1 });
    });
    const resize = new ResizeObserver(() => {
      chart.setSize({ width: Math.max(120, own.clientWidth), height: HEIGHT });
    });
    resize.observe(own);
    const themes = new MutationObserver(() => {
      chart.destroy();
      chart = drawn(own, plot, page);
    });
    themes.observe(document.documentElement, { attributeFilter: ["data-appearance"] });
    return () => {
      update();
      resize.disconnect();
      themes.disconnect();
      chart.destroy();
    };
  }, [plot, page]);
  const title = titleOf(plot);
  return (
    <article class="plot" aria-label={`Plot of ${title}`}>
      <header class="plot-head">
        <h3 title={title}>{title}</h3>
        <IconButton icon="list" label={`Export ${title} as CSV`} onClick={() => exportCsv(plot)} />
        <IconButton
          icon="close"
          label={`Close the plot of ${title}`}
          onClick={() => page.plots.remove(plot.id)}
        />
      </header>
      <div class="plot-box" ref={box} />
    </article>
  );
}

function titleOf({ lines }: Plot): string {
  const paths = [...new Set(lines.map((each) => each.path))];
  const [first = ""] = paths;
  return paths.length > 1 ? `${first} and ${paths.length - 1} more` : first;
}

function isDark(): boolean {
  return getComputedStyle(document.documentElement).colorScheme === "dark";
}

/** Simulated time [s] of the state that the page shows. */
function timeOf(page: Page): number {
  return page.source.step * page.source.stepSeconds;
}

/** Has the legend show the values at the time that the page shows. */
function readAt(chart: uPlot, page: Page): void {
  if (chart.data[0].length > 0) chart.setLegend({ idx: chart.valToIdx(timeOf(page)) });
}

/** Draws a line at the time that the page shows, on a plot of a whole run. */
function markTime(chart: uPlot, page: Page, colour: string): void {
  const { ctx, bbox } = chart;
  const x = Math.round(chart.valToPos(timeOf(page), "x", true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(x, bbox.top, Math.max(1, Math.round(devicePixelRatio)), bbox.height);
  ctx.restore();
}

function drawn(box: HTMLElement, plot: Plot, page: Page): uPlot {
  const style = getComputedStyle(document.documentElement);
  const [ink, line] = [style.getPropertyValue("--ink-3"), style.getPropertyValue("--line")];
  const colours = isDark() ? DARK_COLOURS : COLOURS;
  const font = `11px ${style.getPropertyValue("--sans")}`;
  const axis: uPlot.Axis = {
    stroke: ink,
    font,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  const units = [...new Set(plot.lines.map((each) => each.unit))].join(", ");
  return new uPlot(
    {
      width: Math.max(120, box.clientWidth),
      height: HEIGHT,
      padding: [8, 8, 0, 0],
      hooks:
        page.source.run === null
          ? {}
          : {
              draw: [(chart): void => markTime(chart, page, ink)],
              ready: [(chart): void => readAt(chart, page)],
            },
      cursor: { points: { size: 5 }, drag: { x: true, y: false } },
      legend: { live: true },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 28, values: (_, ticks) => ticks.map((each) => `${each} s`) },
        { ...axis, size: 52, label: units, labelSize: 16, labelFont: font, labelGap: 0 },
      ],
      series: [
        { label: "time", value: (_, value: Reading) => readingText(value, (x) => `${x.toFixed(2)} s`) },
        ...plot.lines.map((each, k) => ({
          label: plot.lines.length > 1 ? each.label.split(".").slice(-2).join(".") : each.label,
          stroke: colours[k % colours.length] as string,
          width: 1.5,
          points: { show: false },
          value: (_: uPlot, value: Reading): string =>
            readingText(value, (y) => `${y.toPrecision(5)} ${each.unit}`),
        })),
      ],
    },
    plot.data as uPlot.AlignedData,
    box,
  );
}

function exportCsv(plot: Plot): void {
  const head = ["time [s]", ...plot.lines.map(({ label, unit }) => `${label} [${unit || "1"}]`)];
  const rows = (plot.data[0] ?? []).map((_, k) => plot.data.map((each) => each[k]).join(","));
  const blob = new Blob([[head.join(","), ...rows].join("\n") + "\n"], { type: "text/csv" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${plot.lines[0]?.path ?? "plot"}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
