/** The bar below the picture: run, pause, step, speed, time, and the time line. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import { Status_Phase } from "../link/generated/autosim/v1/autosim_pb";
import type { Page } from "../state/page";
import { follow, IconButton } from "./parts";

/** Paces that the list offers; 0: as fast as possible. */
const PACES = [0.1, 0.25, 0.5, 1, 2, 4, 8, 0];
const RECORDING_PACES = PACES.filter((each) => each > 0);

/** How far one press goes back [s]. */
const BACK_SECONDS = 5;

export function TransportBar(props: { page: Page; isNarrow?: boolean }): JSX.Element {
  const { page, isNarrow = false } = props;
  const still = page.isStill.value;
  const report = page.time.value;
  const isReplay = report?.isReplay ?? false;
  const canGoBack = isReplay || (report?.snapshots.length ?? 0) > 0;
  return (
    <div class="transport" role="group" aria-label="Time">
      {page.mayControlTime && (
        <div class="transport-buttons">
          <IconButton
            icon="back"
            label={`Go ${BACK_SECONDS} s back`}
            disabled={!canGoBack}
            onClick={() => void page.rewind(BACK_SECONDS)}
          />
          <IconButton
            icon={still ? "run" : "pause"}
            tone="accent"
            label={still ? "Run" : "Pause"}
            shortcut="F6"
            onClick={() => void page.toggle()}
          />
          <IconButton
            icon="step"
            label="Step"
            shortcut="F7"
            disabled={!still}
            onClick={() => void page.step()}
          />
        </div>
      )}
      <Clock page={page} />
      {page.mayControlTime ? <Pace page={page} isNarrow={isNarrow} /> : null}
      <TimeLine page={page} />
      {page.mayControl && (
        <IconButton
          icon={report?.record === undefined ? "record" : "stop"}
          tone="record"
          label={report?.record === undefined ? "Record the run" : "Stop the record"}
          pressed={report?.record !== undefined}
          disabled={isReplay}
          onClick={() => void page.record()}
        />
      )}
    </div>
  );
}

function Clock({ page }: { page: Page }): JSX.Element {
  follow(page.tick);
  const { step, stepSeconds } = page.source;
  return (
    <output class="clock" aria-label="Simulated time" aria-live="off">
      <span class="clock-time">
        {(step * stepSeconds).toFixed(2)}
        <span class="unit"> s</span>
      </span>
      <span class="clock-step">step {step}</span>
    </output>
  );
}

function Pace({ page, isNarrow }: { page: Page; isNarrow: boolean }): JSX.Element {
  const now = page.status.value?.realTimeFactor ?? 1;
  const known = page.source.run === null ? PACES : RECORDING_PACES;
  const paces = known.includes(now) ? known : [...known, now].sort((a, b) => (a || 1e9) - (b || 1e9));
  return (
    <select
      class="pace"
      aria-label="Real-time factor"
      title="Speed: times real time"
      value={String(now)}
      onChange={(event) => void page.setPace(Number(event.currentTarget.value))}
    >
      {paces.map((each) => (
        <option key={each} value={String(each)}>
          {each === 0 ? "As fast as possible" : `${each} ×${isNarrow ? "" : " real time"}`}
        </option>
      ))}
    </select>
  );
}

/** From the oldest snapshot to now, or all steps of a replay. */
function TimeLine({ page }: { page: Page }): JSX.Element | null {
  follow(page.tick);
  const held = useSignal<number | null>(null);
  const report = page.time.value;
  if (report === null) return <div class="time-line" />;
  const { isReplay, snapshots } = report;
  const { step, stepSeconds } = page.source;
  const steps = snapshots.map((each) => Number(each.step));
  const first = isReplay ? Number(report.firstStep) : Math.min(step, ...steps);
  const last = isReplay ? Number(report.lastStep) : step;
  const value = held.value ?? Math.min(Math.max(step, first), last);
  const reached = isReplay
    ? undefined
    : snapshots.filter((each) => Number(each.step) <= value).at(-1);
  const isHeld = held.value !== null && !isReplay && value < step;
  const text =
    isHeld && reached !== undefined
      ? `${reached.name}: ${(1e-9 * Number(reached.timeNs)).toFixed(3)} s`
      : `${(value * stepSeconds).toFixed(2)} s`;
  const share = (each: number): number => (100 * (each - first)) / Math.max(1, last - first);
  return (
    <div class="time-line">
      <div class="time-line-track">
        <input
          type="range"
          aria-label="Time line"
          aria-valuetext={text}
          min={first}
          max={Math.max(first + 1, last)}
          value={value}
          disabled={!isReplay && snapshots.length === 0}
          onInput={(event) => {
            const wanted = Number(event.currentTarget.value);
            if (isReplay) void page.seek(wanted);
            else held.value = wanted;
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") held.value = null;
            if (event.key === "Enter" && isHeld && reached !== undefined) {
              held.value = null;
              void page.goBackTo(reached.name);
            }
          }}
        />
        <div class="time-line-marks" aria-hidden="true">
          {snapshots.map((each) => (
            <span
              key={each.name}
              class={`time-mark ${each.name === reached?.name && isHeld ? "is-chosen" : ""}`}
              style={{ left: `${share(Number(each.step))}%` }}
              title={`${each.name}: ${(1e-9 * Number(each.timeNs)).toFixed(3)} s`}
            />
          ))}
          {page.source.run?.marks.map((each, k) => (
            <span
              key={k}
              class={`time-mark is-${each.kind} is-${each.level}`}
              style={{ left: `${share(each.step)}%` }}
              title={`${(each.step * stepSeconds).toFixed(2)} s: ${each.text}`}
            />
          ))}
        </div>
      </div>
      {isHeld && reached !== undefined && (
        <span class="time-line-choice">
          <button
            type="button"
            class="button is-primary"
            onClick={() => {
              held.value = null;
              void page.goBackTo(reached.name);
            }}
          >
            Go back to {text}
          </button>
          <IconButton icon="close" label="Stay here" onClick={() => (held.value = null)} />
        </span>
      )}
      {!isReplay && snapshots.length === 0 && <span class="time-line-note">no snapshot yet</span>}
    </div>
  );
}

const PHASES: Record<Status_Phase, string> = {
  [Status_Phase.LOADING]: "Loading",
  [Status_Phase.READY]: "Ready",
  [Status_Phase.RUNNING]: "Running",
  [Status_Phase.PAUSED]: "Paused",
  [Status_Phase.STOPPED]: "Stopped",
  [Status_Phase.EMPTY]: "No world",
};

/** How the simulation and the connection are, in a word. */
export function StatusChip({ page }: { page: Page }): JSX.Element {
  const connection = page.connection.value;
  const status = page.status.value;
  let [text, tone] = ["Connecting", "quiet"];
  if (connection.kind === "lost") [text, tone] = ["Reconnecting", "warn"];
  else if (page.trouble.value !== "") [text, tone] = ["No answer", "warn"];
  else if (connection.kind === "live" && status !== null) {
    const isPlayed = page.source.run !== null && status.phase === Status_Phase.RUNNING;
    text = isPlayed ? "Playing" : PHASES[status.phase];
    tone = status.phase === Status_Phase.RUNNING ? "good" : "quiet";
    if (status.phase === Status_Phase.LOADING && status.work !== "") text = status.work;
  }
  const why = connection.kind === "lost" ? connection.reason : page.trouble.value;
  return (
    <span class={`chip is-${tone}`} role="status" title={why}>
      <span class="chip-dot" />
      {text}
    </span>
  );
}
