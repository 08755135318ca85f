/** The page of one recording: its data are in it, and it opens from a disk. */

import { render } from "preact";

import type { SimulationTree, TreeField, TreeNode } from "../link/tree";
import { App } from "../panels/app";
import { arrange } from "../state/layout";
import { Page } from "../state/page";
import "../state/appearance";
import "../styles/page.css";
import { Blocks } from "./blocks";
import { openRecording, type RecordedSource } from "./recorded_source";
import { recordedLink } from "./recorded_link";

const root = document.getElementById("page") as HTMLElement;

async function open(): Promise<void> {
  const source = await openRecording(new Blocks(document));
  const page = new Page(recordedLink(source), () => undefined);
  document.title = `${source.world} – AutoSim recording`;
  tell(page, source);
  // A frame in a notebook is low: the picture first.
  if (window.self !== window.top) arrange({ isLeftOpen: false });
  const speed = firstSpeed(source.tree, page.followed.value);
  if (speed !== undefined) page.plot(speed);
  render(<App page={page} />, root);
}

/** Lists all messages of the run. */
function tell(page: Page, { run, stepSeconds }: RecordedSource): void {
  const entries = run.marks.map(({ step, level, source, text }) => ({
    level,
    source,
    text,
    time: step * stepSeconds,
  }));
  page.messages.add(entries, "");
}

/** The speed of a robot, which the page plots at first. */
function firstSpeed(tree: SimulationTree, robot: string): TreeField | undefined {
  const find = (node: TreeNode): TreeNode | undefined =>
    node.kind === "VelocimeterSensor" ? node : node.children.map(find).find(Boolean);
  const part = tree.find(robot)?.children[0];
  const node = tree.find(robot);
  const velocity = part?.fields.find((each) => each.name === "velocity");
  return (node === undefined ? undefined : find(node))?.fields[0] ?? velocity;
}

open().catch((error: unknown) => {
  const words = error instanceof Error ? error.message : String(error);
  render(
    <main class="door">
      <div class="door-card">
        <h1>AutoSim</h1>
        <p class="door-reason" role="alert">
          {words}
        </p>
      </div>
    </main>,
    root,
  );
});
