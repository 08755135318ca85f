/** The page's keyboard: a key means the same as in the windows of the desktop. */

import { KEY_CODES } from "../driving/keys";
import { toggleAll } from "../state/layout";
import type { CameraKind, Page } from "../state/page";
import { OVERLAYS } from "../state/view";
import { isDisplayOn } from "./driving_display";

const CAMERAS: Record<string, CameraKind> = { c: "chase", v: "driver", f: "orbit", m: "map" };

/** Listens until the returned function is called. */
export function listen(page: Page, showKeys: () => void): () => void {
  const down = (event: KeyboardEvent): void => {
    if (document.querySelector("dialog[open]") !== null) return;
    // Function keys write nothing: they mean the same in a text field.
    if (isTyping(event.target) && !/^F\d+$/.test(event.key)) return;
    if (drive(page, event, true) || act(page, event, showKeys)) event.preventDefault();
  };
  const up = (event: KeyboardEvent): void => void drive(page, event, false);
  const release = (): void => {
    page.driver.down.clear();
    page.driver.hasFocus = false;
  };
  const focus = (): void => {
    page.driver.hasFocus = true;
  };
  window.addEventListener("keydown", down);
  window.addEventListener("keyup", up);
  window.addEventListener("blur", release);
  window.addEventListener("focus", focus);
  return () => {
    window.removeEventListener("keydown", down);
    window.removeEventListener("keyup", up);
    window.removeEventListener("blur", release);
    window.removeEventListener("focus", focus);
  };
}

function isTyping(target: EventTarget | null): boolean {
  const { tagName, type } = target as HTMLInputElement;
  return tagName === "TEXTAREA" || tagName === "SELECT" || (tagName === "INPUT" && type !== "range");
}

/** Whether the space bar presses what has the focus. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, summary, label") !== null;
}

/** Keys of the one who drives: only while the page drives. */
function drive(page: Page, event: KeyboardEvent, isDown: boolean): boolean {
  const key = KEY_CODES[event.code];
  if (key === undefined || page.driver.robot.value === "") return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (isDown) page.driver.down.add(key);
  else page.driver.down.delete(key);
  return true;
}

function act(page: Page, event: KeyboardEvent, showKeys: () => void): boolean {
  const hasControl = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (hasControl) return actWithControl(page, key);
  if (event.altKey) return false;
  const camera = CAMERAS[key];
  if (camera !== undefined && page.driver.robot.value === "") {
    page.camera.value = camera;
    return true;
  }
  const overlay = OVERLAYS.find((each) => each.key === key);
  if (overlay !== undefined) {
    page.view.toggle(overlay.name);
    return true;
  }
  switch (key) {
    case "t":
      page.view.later(event.shiftKey ? -1 : 1);
      return true;
    case "g":
      if (event.shiftKey) page.view.reset();
      else page.view.nextWeather(1);
      return true;
    case "F6":
      if (page.mayControlTime) void page.toggle();
      return true;
    case "F7":
      if (page.mayControlTime && page.isStill.value) void page.step();
      return true;
    case " ":
      if (page.source.run === null || isPressable(event.target)) return false;
      void page.toggle();
      return true;
    case "e":
      if (page.mayControl) page.arranging.isOn.value = !page.arranging.isOn.value;
      return true;
    case "n":
      nextRobot(page);
      return true;
    case "8":
      isDisplayOn.value = !isDisplayOn.value;
      return true;
    case "/":
      document.getElementById("objects-filter")?.focus();
      return true;
    case "Escape":
      page.marked.value = "";
      return false;
    case "?":
      showKeys();
      return true;
    default:
      return false;
  }
}

function actWithControl(page: Page, key: string): boolean {
  switch (key) {
    case "d":
      toggleDriving(page);
      return true;
    case "z":
      if (page.mayControl) void page.undo();
      return true;
    case "j":
      toggleAll();
      return true;
    default:
      return false;
  }
}

export function toggleDriving(page: Page): void {
  if (page.driver.robot.value !== "") {
    page.driver.giveBack();
    return;
  }
  const [first] = page.drivable.value;
  const followed = page.followed.value;
  const robot = page.drivable.value.includes(followed) ? followed : first;
  if (robot === undefined) return;
  page.followed.value = robot;
  (document.activeElement as HTMLElement | null)?.blur();
  void page.driver.takeOver(robot);
}

function nextRobot(page: Page): void {
  const robots = page.robots.value;
  const next = robots[(robots.indexOf(page.followed.value) + 1) % robots.length];
  if (next !== undefined) page.select(next);
}
