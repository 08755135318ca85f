/** All keys of the page. */

import type { JSX } from "preact";

import { Dialog } from "./parts";

const KEYS: readonly [keys: string, meaning: string][] = [
  ["F6", "Pause, Run"],
  ["F7", "Step"],
  ["C  V  F  M", "Chase camera, driver, free camera, map"],
  ["N", "Next robot"],
  ["/", "Filter by name"],
  ["P, Shift P", "Plot the value in the tree; add it to the last plot"],
  ["Enter", "Set the actuator's value in the tree"],
  ["↑ ↓ ← →", "Rows of the tree: up, down, fold, unfold"],
  ["Ctrl D", "Take over, give back"],
  ["W A S D, arrows", "Drive: throttle, brake, steering"],
  ["Space", "Hand brake"],
  ["T, Shift T", "An hour later, earlier"],
  ["G, Shift G", "The next weather; the world's own sky"],
  ["2 3 5 6 7 9", "Names, sensor rays, paths, belief, lidar points, published lists"],
  ["8", "The display of speed, gear and controls"],
  ["Ctrl Z", "Undo the last change of robots"],
  ["Ctrl J", "Hide or show the panels"],
  ["E", "Arrange robots: move, turn, add and remove them by dragging"],
  ["Shift and drag", "Move the robot below the pointer"],
  ["?", "These keys"],
];

export function KeysDialog({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
