/** User programs: which robot each drives, how it fares, and what can be done with it. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import { Program_State, type Program } from "../link/generated/autosim/v1/autosim_pb";
import type { Page } from "../state/page";
import { Dialog, Empty } from "./parts";

const STATES: Record<Program_State, { text: string; tone: string }> = {
  [Program_State.WAITING]: { text: "waiting", tone: "quiet" },
  [Program_State.RUNNING]: { text: "running", tone: "good" },
  [Program_State.STOPPED]: { text: "stopped", tone: "quiet" },
  [Program_State.FAILED]: { text: "failed", tone: "bad" },
  [Program_State.DISABLED]: { text: "disabled", tone: "bad" },
};

/** Programs that come with AutoSim: names to choose from. */
const SHIPPED = [
  "demo_user_program",
  "driver",
  "lane_keeper",
  "wall_follower",
  "pure_pursuit",
  "emergency_brake",
  "convoy",
  "blinking_indicator",
].map((each) => `userprograms/${each}.py`);

export function ProgramsPanel({ page }: { page: Page }): JSX.Element {
  const edited = useSignal<Program | null>(null);
  const isAttaching = useSignal(false);
  const programs = page.programs.value;
  return (
    <section class="panel programs" aria-label="User programs">
      {page.mayControl && (
        <div class="panel-tools is-end">
          <button type="button" class="button" onClick={() => (isAttaching.value = true)}>
            Attach…
          </button>
        </div>
      )}
      {programs.length === 0 ? (
        <Empty>No robot has a user program.</Empty>
      ) : (
        <ul class="scroll cards" tabIndex={0} aria-label="User programs">
          {programs.map((each) => (
            <ProgramCard
              key={`${each.robot}:${each.file}`}
              page={page}
              program={each}
              onEdit={() => (edited.value = each)}
            />
          ))}
        </ul>
      )}
      {edited.value !== null && (
        <ArgumentsDialog page={page} program={edited.value} onClose={() => (edited.value = null)} />
      )}
      {isAttaching.value && (
        <AttachDialog page={page} onClose={() => (isAttaching.value = false)} />
      )}
    </section>
  );
}

function ProgramCard(props: { page: Page; program: Program; onEdit: () => void }): JSX.Element {
  const { page, program, onEdit } = props;
  const { text, tone } = STATES[program.state];
  const isActive =
    program.state === Program_State.RUNNING || program.state === Program_State.WAITING;
  const isHere = program.side === "server";
  const figures =
    program.turns > 0
      ? `${program.turnMsMean.toFixed(1)} / ${program.turnMsMax.toFixed(1)} ms`
      : "–";
  return (
    <li class="card">
      <div class="card-head">
        <button type="button" class="link" onClick={() => page.select(program.robot)}>
          {program.robot}
        </button>
        <span class={`state is-${tone}`}>{text}</span>
      </div>
      <p class="card-file">{[program.file, ...program.arguments].join(" ")}</p>
      {program.exitReason !== "" && <p class={`card-words ${tone === "bad" ? "is-bad" : ""}`}>{program.exitReason}</p>}
      <dl class="card-figures">
        <div title="Real time of a turn in the last second: mean / longest">
          <dt>Step time</dt>
          <dd>{figures}</dd>
        </div>
        <div title="How often it was started again">
          <dt>Restarts</dt>
          <dd>{program.restarts}</dd>
        </div>
        <div title="The server, a client, or somewhere else">
          <dt>Runs on</dt>
          <dd>{program.side}</dd>
        </div>
      </dl>
      {page.mayControl && isHere && (
        <div class="button-row">
          <button
            type="button"
            class="button"
            aria-label={`Restart the program of ${program.robot}`}
            onClick={() => void page.restartProgram(program.robot)}
          >
            {isActive ? "Restart" : "Start"}
          </button>
          <button
            type="button"
            class="button"
            disabled={!isActive}
            aria-label={`Stop the program of ${program.robot}`}
            onClick={() => void page.stopProgram(program.robot)}
          >
            Stop
          </button>
          <button
            type="button"
            class="button"
            aria-label={`Restart the program of ${program.robot} with other arguments`}
            onClick={onEdit}
          >
            Arguments…
          </button>
        </div>
      )}
    </li>
  );
}

function ArgumentsDialog(props: {
  page: Page;
  program: Program;
  onClose: () => void;
}): JSX.Element {
  const { page, program, onClose } = props;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    void page.restartProgram(program.robot, wordsOf(textOf(form, "arguments"))).then(onClose);
  };
  return (
    <Dialog title={`Arguments of ${program.file}`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <label>
          Arguments
          <input
            name="arguments"
            value={lineOf(program.arguments)}
            placeholder="none"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <p class="hint">
          They follow the robot's name. Write an argument with spaces in double quotes.
        </p>
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary">
            Restart
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function AttachDialog({ page, onClose }: { page: Page; onClose: () => void }): JSX.Element {
  const busy = new Set(page.programs.value.map((each) => each.robot));
  const free = page.robots.value.filter((each) => !busy.has(each));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    void page
      .attachProgram(textOf(form, "robot"), textOf(form, "file"), wordsOf(textOf(form, "arguments")))
      .then(onClose);
  };
  return (
    <Dialog title="Attach a User Program" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <label>
          Robot
          <select name="robot" required>
            {[...free, ...page.robots.value.filter((each) => busy.has(each))].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Program
          <input
            name="file"
            required
            list="known-programs"
            placeholder="userprograms/driver.py"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <datalist id="known-programs">
          {SHIPPED.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <label>
          Arguments
          <input name="arguments" placeholder="none" autocomplete="off" spellcheck={false} />
        </label>
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary">
            Attach
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** The words of a line; double quotes hold those with spaces together. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) =>
    quoted !== undefined ? quoted.replace(/\\(.)/g, "$1") : (plain ?? ""),
  );
}

/** The line that `wordsOf` splits into these words. */
export function lineOf(words: readonly string[]): string {
  return words
    .map((each) => (/^[^\s"\\]+$/.test(each) ? each : `"${each.replace(/(["\\])/g, "\\$1")}"`))
    .join(" ");
}
