/** Robots are moved, turned, added and removed by dragging them in the picture. */

import type { JSX } from "preact";

import type { Ghost, SceneView } from "../scene/scene_view";
import {
  type Drag,
  freeName,
  headingTowards,
  poseOf,
  SHIPPED_ROBOTS,
} from "../state/arranging";
import type { Page } from "../state/page";
import { Icon } from "./icons";

/** Distance [px] that a press moves before it is a drag and not a click. */
export const CLICK = 5;

/** Reach [px] of the knob. */
const KNOB = 22;

type Point = readonly [x: number, y: number];

export function pointIn(event: MouseEvent, box: Element): [number, number] {
  const { left, top } = box.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

/** Begins to move or turn what a press on the picture has hit; whether it has hit any such thing. */
export function beginDrag(down: PointerEvent, page: Page, view: SceneView, name: string): boolean {
  if (!page.mayControl || down.button !== 0) return false;
  const canvas = down.currentTarget as HTMLCanvasElement;
  const robot = name.split(".")[0] ?? "";
  const chosen = page.marked.value.split(".")[0] ?? "";
  const { isOn } = page.arranging;
  if (isOn.value && chosen !== "" && isNear(view.knob, pointIn(down, canvas))) {
    follow(down, canvas, page, view, { kind: "turn", robot: chosen });
    return true;
  }
  if (!(isOn.value || down.shiftKey) || !page.robots.value.includes(robot)) return false;
  follow(down, canvas, page, view, { kind: "move", robot });
  return true;
}

/** Shows by the pointer where the knob of the ring can be taken. */
export function showGrip(event: PointerEvent, page: Page, view: SceneView | null): void {
  const canvas = event.currentTarget as HTMLCanvasElement;
  const isGrip = page.arranging.isOn.value && isNear(view?.knob ?? null, pointIn(event, canvas));
  canvas.classList.toggle("has-grip", isGrip);
}

function isNear(knob: Point | null, [x, y]: Point): boolean {
  return knob !== null && Math.hypot(knob[0] - x, knob[1] - y) < KNOB;
}

/** Whether the pointer is within the bounds of a part of the page, whatever covers it, such as a toast. */
export function isWithin({ clientX, clientY }: Pick<MouseEvent, "clientX" | "clientY">, part: Element | null): boolean {
  if (part === null) return false;
  const { left, top, right, bottom } = part.getBoundingClientRect();
  return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
}

type Wish = { kind: "move" | "turn"; robot: string } | { kind: "add"; file: string };

/** Follows the pointer until it is up, then does what was wanted. */
function follow(
  down: PointerEvent,
  canvas: HTMLCanvasElement,
  page: Page,
  view: SceneView,
  wish: Wish,
): void {
  const stop = new AbortController();
  const { signal } = stop;
  // Also for the shelf, which is not shown while something is dragged.
  canvas.setPointerCapture(down.pointerId);
  down.stopImmediatePropagation();
  canvas.classList.add("is-moving");
  let isDrag = false;
  const show = (drag: Drag | null): void => {
    page.arranging.drag.value = drag;
    view.handles.ghost = drag?.isOverBin === true ? null : (drag?.ghost ?? null);
  };
  const end = (): Drag | null => {
    const last = page.arranging.drag.value;
    stop.abort();
    canvas.classList.remove("is-moving");
    show(null);
    return isDrag ? last : null;
  };
  canvas.addEventListener(
    "pointermove",
    (event) => {
      const way = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY);
      isDrag ||= way >= CLICK;
      if (isDrag) show(dragAt(event, canvas, page, view, wish));
    },
    { signal },
  );
  const abandon = (): void => void end();
  canvas.addEventListener("pointercancel", abandon, { signal });
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") abandon();
    },
    { signal },
  );
  canvas.addEventListener(
    "pointerup",
    () => {
      const last = end();
      if (last !== null) void carryOut(page, last);
    },
    { signal },
  );
}

/** What is dragged, with the pointer here. */
function dragAt(
  event: PointerEvent,
  canvas: HTMLCanvasElement,
  page: Page,
  view: SceneView,
  wish: Wish,
): Drag {
  const point = pointIn(event, canvas);
  const { clientWidth, clientHeight } = canvas;
  const isInside =
    point[0] >= 0 && point[1] >= 0 && point[0] < clientWidth && point[1] < clientHeight;
  const isOverBin = isWithin(event, canvas.parentElement?.querySelector(".bin") ?? null);
  const ground = isInside && !isOverBin ? view.groundAt(...point) : null;
  if (wish.kind === "add") {
    const ghost = ground === null ? null : ghostAt(ground, view.heading, null);
    return { ...wish, ghost, isOverBin };
  }
  const pose = poseOf(page.source, wish.robot);
  if (wish.kind === "move") {
    const ghost = ground === null ? null : ghostAt(ground, pose.yaw, wish.robot);
    return { ...wish, ghost, isOverBin };
  }
  if (ground === null) return { ...wish, ghost: null, isOverBin: false };
  const yaw = headingTowards(pose, ground, event.shiftKey);
  const foot = view.handles.footOf(wish.robot) ?? pose.z;
  return { ...wish, ghost: ghostAt([pose.x, pose.y, foot], yaw, wish.robot), isOverBin: false };
}

function ghostAt([x, y, z]: [number, number, number], yaw: number, robot: string | null): Ghost {
  return { x, y, z, yaw, robot };
}

async function carryOut(page: Page, drag: Drag): Promise<void> {
  const { ghost } = drag;
  if (drag.kind !== "add" && drag.isOverBin) {
    await page.removeRobot(drag.robot);
    return;
  }
  if (drag.isOverBin) return;
  if (ghost === null) {
    page.say("warning", "There is no ground below the pointer.");
    return;
  }
  const { x, y, z, yaw } = ghost;
  if (drag.kind === "add") {
    const name = freeName(page.source, drag.file);
    const robot = { file: drag.file, name, program: "", arguments: [], place: { x, y, yaw } };
    await page.addRobot(robot);
    return;
  }
  await page.moveRobot(drag.robot, x, y, yaw, z);
}

/** Robots to drag into the picture, and the bin for those that are dragged there. */
export function ArrangeTools(props: {
  page: Page;
  canvas: () => HTMLCanvasElement | null;
  view: () => SceneView | null;
}): JSX.Element | null {
  const { page } = props;
  const drag = page.arranging.drag.value;
  const begin = (down: PointerEvent, file: string): void => {
    const [canvas, view] = [props.canvas(), props.view()];
    if (canvas === null || view === null || down.button !== 0) return;
    down.preventDefault();
    follow(down, canvas, page, view, { kind: "add", file });
  };
  if (!page.mayControl || (!page.arranging.isOn.value && drag === null)) return null;
  return (
    <div class="arrange" role="group" aria-label="Arrange robots">
      {drag !== null && drag.kind !== "turn" ? (
        <div class={`bin ${drag.isOverBin ? "is-chosen" : ""}`}>
          <Icon name="bin" />
          {drag.kind === "move" ? `Drop here to remove ${drag.robot}` : "Drop here to add nothing"}
        </div>
      ) : (
        <>
          <p class="arrange-hint" role="status">
            {drag === null
              ? "Drag a robot to move it, its ring to turn it, one of these into the picture to add it"
              : turnText(drag)}
          </p>
          {drag === null && (
            <ul class="shelf" aria-label="Robots to add">
              {SHIPPED_ROBOTS.map((file) => (
                <li key={file}>
                  <button
                    type="button"
                    class="shelf-robot"
                    title={`Drag ${file} into the picture; Enter adds it on a free lane`}
                    onPointerDown={(event) => begin(event, file)}
                    onClick={(event) => {
                      // By the keyboard there is no pointer: it gets a free lane.
                      if (event.detail === 0) void addOnLane(page, file);
                    }}
                  >
                    {nameOf(file)}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
}

function addOnLane(page: Page, file: string): Promise<void> {
  const name = freeName(page.source, file);
  return page.addRobot({ file, name, program: "", arguments: [], place: null });
}

function turnText({ ghost }: Drag): string {
  if (ghost === null) return "There is no ground below the pointer";
  return `Heading ${((180 / Math.PI) * ghost.yaw).toFixed(0)}° · Shift: steps of 15°`;
}

function nameOf(file: string): string {
  return (file.split("/").at(-1) ?? file).replace(/\.xml$/, "");
}
