/** The picture in the middle: the scene, what lies over it, and what the mouse does in it. */

import { effect, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { SceneView } from "../scene/scene_view";
import type { CameraKind, Page } from "../state/page";
import { OVERLAYS } from "../state/view";
import { ArrangeTools, beginDrag, CLICK, pointIn, showGrip } from "./arranging";
import { DrivingDisplay, TouchControls } from "./driving_display";
import { Icon } from "./icons";
import { Banner } from "./messages_panel";
import { IconButton } from "./parts";
import { ViewMenu } from "./view_menu";

/** Cameras; where the picture is narrow, only the first word of a title is shown. */
const CAMERAS: readonly { kind: CameraKind; title: [string, string?]; key: string }[] = [
  { kind: "chase", title: ["Chase", "camera"], key: "C" },
  { kind: "driver", title: ["Driver"], key: "V" },
  { kind: "orbit", title: ["Free", "camera"], key: "F" },
  { kind: "map", title: ["Map"], key: "M" },
];

export function Picture({ page }: { page: Page }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<SceneView | null>(null);
  const failure = useSignal("");
  const isReady = useSignal(false);

  useEffect(() => {
    let isGone = false;
    const own = canvas.current;
    if (own === null) return;
    // Loaded by itself: the panels are there before the picture.
    import("../scene/scene_view")
      .then((scene) => {
        if (isGone) return;
        view.current = new scene.SceneView(own, page.source);
        page.view.own.value = view.current.sky;
        void view.current.shown.then(() => (page.isAskingOften = true));
        isReady.value = true;
      })
      .catch((error: unknown) => {
        page.isAskingOften = true;
        const reason = error instanceof Error ? error.message : String(error);
        failure.value = reason.includes("WebGL context")
          ? "No picture: this browser gives the page no WebGL. Switch its hardware acceleration on, or try another browser. All else works."
          : `No picture: ${reason}`;
      });
    return () => {
      isGone = true;
      view.current?.dispose();
      view.current = null;
    };
  }, [page, failure, isReady]);

  useEffect(
    () =>
      effect(() => {
        const robot = page.followed.value;
        // The scene takes up a world when it is there.
        if (!isReady.value || page.tree.value === null) return;
        view.current?.setCamera(page.camera.value, robot === "" ? null : robot);
      }),
    [page, isReady],
  );
  useEffect(
    () =>
      effect(() => {
        const isDriving = page.driver.robot.value !== "";
        const [name = ""] = isDriving ? [] : page.marked.value.split(".");
        if (!isReady.value || page.tree.value === null) return;
        view.current?.select(name === "" ? null : name);
        view.current?.setKeysEnabled(!isDriving);
        const { isOn } = page.arranging;
        const hasRing = isOn.value && page.mayControl && page.robots.value.includes(name);
        if (view.current !== null) view.current.handles.ring = hasRing ? name : null;
      }),
    [page, isReady],
  );
  useEffect(
    () =>
      effect(() => {
        const { overlays, sky, quality } = page.view;
        const [shown, look, fineness] = [overlays.value, sky.value, quality.value];
        if (!isReady.value || page.tree.value === null) return;
        for (const { name } of OVERLAYS) view.current?.setOverlay(name, shown.has(name));
        view.current?.setSky(look);
        view.current?.setQuality(fineness);
        page.drawn.value = view.current?.overlayNodes() ?? [];
      }),
    [page, isReady],
  );

  return (
    <main class="picture" aria-label="Picture">
      <Banner page={page} />
      <div class="picture-box">
        <canvas
          ref={canvas}
          class="picture-canvas"
          tabIndex={0}
          role="img"
          aria-label={`Picture of ${page.source.world === "" ? "the world" : page.source.world}`}
          onPointerDown={(event) => press(event, page, view.current)}
          onPointerMove={(event) => showGrip(event, page, view.current)}
          onDblClick={(event) => {
            const robot = picked(event, view.current);
            if (robot !== null && page.robots.value.includes(robot)) page.followed.value = robot;
          }}
        />
        <CameraBar page={page} />
        {failure.value !== "" && <p class="picture-note">{failure.value}</p>}
        <Notice page={page} />
        <ArrangeTools page={page} canvas={() => canvas.current} view={() => view.current} />
        <DrivingDisplay page={page} />
        <TouchControls page={page} />
        <Toasts page={page} />
      </div>
    </main>
  );
}

function picked(event: MouseEvent, view: SceneView | null): string | null {
  const canvas = event.currentTarget as HTMLCanvasElement;
  return view?.pick(...pointIn(event, canvas)) ?? null;
}

/** A click selects; a drag of a robot moves it, with Shift or while robots are arranged. */
function press(down: PointerEvent, page: Page, view: SceneView | null): void {
  const canvas = down.currentTarget as HTMLCanvasElement;
  const name = picked(down, view);
  if (view !== null) beginDrag(down, page, view, name ?? "");
  const up = (event: PointerEvent): void => {
    const way = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY);
    if (way >= CLICK || name === null) return;
    if (page.source.tree.find(name) !== undefined) page.select(name);
  };
  canvas.addEventListener("pointerup", up, { once: true });
}

function CameraBar({ page }: { page: Page }): JSX.Element {
  const robots = page.robots.value;
  const isDriving = page.driver.robot.value !== "";
  const { followed, camera } = page;
  return (
    <div class="camera-bar" role="toolbar" aria-label="Camera">
      <div class="segments" role="radiogroup" aria-label="Camera">
        {CAMERAS.map(({ kind, title, key }) => (
          <button
            key={kind}
            type="button"
            role="radio"
            class="segment"
            aria-checked={camera.value === kind}
            aria-label={title.join(" ")}
            title={`${title.join(" ")} (${key})`}
            disabled={robots.length === 0 && (kind === "chase" || kind === "driver")}
            onClick={() => (camera.value = kind)}
          >
            {title[0]}
            {title[1] !== undefined && <span class="segment-more"> {title[1]}</span>}
          </button>
        ))}
      </div>
      {robots.length > 0 && (
        <select
          class="camera-robot"
          aria-label="Robot to follow"
          title="Robot to follow (N: next robot)"
          value={followed.value}
          disabled={isDriving}
          onChange={(event) => page.select(event.currentTarget.value)}
        >
          {robots.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      )}
      {page.mayControl && (
        <button
          type="button"
          class="view-button"
          aria-pressed={page.arranging.isOn.value}
          title="Arrange: move, turn, add and remove robots by dragging (E)"
          onClick={() => (page.arranging.isOn.value = !page.arranging.isOn.value)}
        >
          <Icon name="move" />
          <span class="view-button-text">Arrange</span>
        </button>
      )}
      <ViewMenu page={page} />
    </div>
  );
}

/** What is to be known where there is nothing to see. */
function Notice({ page }: { page: Page }): JSX.Element | null {
  const connection = page.connection.value;
  if (connection.kind === "lost") {
    return (
      <div class="notice" role="status">
        <Icon name="network" />
        <p>The server is not reachable. This page reconnects by itself.</p>
        {connection.reason !== "" && <p class="notice-why">{connection.reason}</p>}
      </div>
    );
  }
  if (page.trouble.value !== "") {
    return (
      <div class="notice" role="status">
        <Icon name="warning" />
        <p>{page.trouble.value}</p>
      </div>
    );
  }
  if (page.tree.value !== null) return null;
  return (
    <div class="notice" role="status">
      <span class="spinner" />
      <p>Waiting for the server…</p>
    </div>
  );
}

function Toasts({ page }: { page: Page }): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {page.toasts.value.map(({ id, level, text }) => (
        <div key={id} class={`toast is-${level}`}>
          <Icon name={level} />
          <span>{text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => page.dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
