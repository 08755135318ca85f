/** Plots: which values each shows, and their course so far. */

import { signal } from "@preact/signals";

import { numbersOf, partNames, unitText } from "../link/values";
import type { PageSource, WholeRun } from "../link/source";
import type { TreeField, TreeNode } from "../link/tree";

/** Points of a plot at most: at ten a second the last four minutes. */
const MOST_POINTS = 2400;

/** Lines of a plot at most: more cannot be told apart. */
const MOST_LINES = 16;

/** One line of a plot. */
export interface Line {
  path: string;
  /** Which of the field's numbers. */
  index: number;
  label: string;
  unit: string;
}

export interface Plot {
  id: number;
  lines: Line[];
  /** Times [s], then the values of each line. */
  data: number[][];
}

/** All plots of the page. */
export class Plots {
  readonly list = signal<Plot[]>([]);
  /** Counts up with each new point. */
  readonly tick = signal(0);
  #next = 1;

  /** Plots a field: in a plot of its own, or `together` with those of the last one. */
  add(field: TreeField, source: PageSource, together = false): void {
    const lines = linesOf(field);
    if (lines.length === 0) return;
    const last = this.list.value.at(-1);
    if (together && last !== undefined && last.lines.length + lines.length <= MOST_LINES) {
      const known = new Set(last.lines.map((each) => each.label));
      const added = lines.filter((each) => !known.has(each.label));
      const blank = last.data[0]?.map(() => NaN) ?? [];
      const plot = {
        ...last,
        lines: [...last.lines, ...added],
        data: [...last.data, ...added.map(() => [...blank])],
      };
      this.list.value = [...this.list.value.slice(0, -1), plot];
      if (source.run !== null) void this.#complete(plot, source, source.run);
      return;
    }
    const data = [[], ...lines.map(() => [])];
    const plot = { id: this.#next++, lines, data };
    this.list.value = [...this.list.value, plot];
    if (source.run !== null) void this.#complete(plot, source, source.run);
  }

  /** Gives a plot the course of its values over the whole run. */
  async #complete({ id, lines }: Plot, source: PageSource, run: WholeRun): Promise<void> {
    const numbers = lines.flatMap(({ path, index }) => {
      const field = source.tree.findField(path);
      return field === undefined ? [] : [{ field, index }];
    });
    const data = await run.courses(numbers);
    this.list.value = this.list.value.map((each) =>
      each.id === id && each.lines === lines ? { ...each, data } : each,
    );
  }

  remove(id: number): void {
    this.list.value = this.list.value.filter((each) => each.id !== id);
  }

  /** The nodes whose values the plots need. */
  nodes(source: PageSource): TreeNode[] {
    const paths = new Set(this.list.value.flatMap((plot) => plot.lines.map((each) => each.path)));
    return [...paths].flatMap((each) => source.tree.findField(each)?.node ?? []);
  }

  /** Adds a point at the simulated time [s] of the newest state. */
  sample(source: PageSource): void {
    if (this.list.value.length === 0) return;
    if (source.run !== null) {
      this.tick.value++;
      return;
    }
    const time = source.step * source.stepSeconds;
    for (const { lines, data } of this.list.value) {
      const times = data[0] as number[];
      // After a rewind the line goes on from there.
      while (times.length > 0 && (times.at(-1) as number) > time + 1e-9) {
        for (const each of data) each.pop();
      }
      if (times.length > 0 && time - (times.at(-1) as number) < 1e-9) continue;
      times.push(time);
      lines.forEach((line, k) => {
        const field = source.tree.findField(line.path);
        const view = field === undefined ? null : source.viewOf(field.node);
        const numbers = field === undefined || view === null ? [] : numbersOf(view, field);
        (data[k + 1] as number[]).push(numbers[line.index] ?? NaN);
      });
      if (times.length > MOST_POINTS) for (const each of data) each.splice(0, MOST_POINTS / 10);
    }
    this.tick.value++;
  }
}

/** The lines of all numbers of a field; none of lists and texts. */
function linesOf(field: TreeField): Line[] {
  if (field.columns.length > 0 || field.type === "text") return [];
  const names = partNames(field);
  const unit = unitText(field);
  const scalar = [{ path: field.path, index: 0, label: field.path, unit }];
  const parts = names
    .slice(0, MOST_LINES)
    .map((name, index) => ({ path: field.path, index, label: `${field.path}.${name}`, unit }));
  return names.length === 0 ? scalar : parts;
}
