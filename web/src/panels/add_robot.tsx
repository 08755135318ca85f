/** Add a robot: from the server's folders, on a free lane or at a place. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import { freeName, SHIPPED_ROBOTS } from "../state/arranging";
import type { Page } from "../state/page";
import { Dialog } from "./parts";
import { textOf, wordsOf } from "./programs_panel";

export function AddRobotDialog({ page, onClose }: { page: Page; onClose: () => void }): JSX.Element {
  const isPlaced = useSignal(false);
  const file = useSignal("robots/impreza.xml");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const number = (name: string): number => Number(form.get(name));
    const place = isPlaced.value
      ? { x: number("x"), y: number("y"), yaw: (Math.PI / 180) * number("heading") }
      : null;
    const robot = {
      file: file.value.trim(),
      name: textOf(form, "name"),
      program: textOf(form, "program"),
      arguments: wordsOf(textOf(form, "arguments")),
      place,
    };
    void page.addRobot(robot).then(onClose);
  };
  return (
    <Dialog title="Add a Robot" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <label>
          Robot file
          <input
            name="file"
            required
            list="known-robots"
            autocomplete="off"
            spellcheck={false}
            value={file.value}
            onInput={(event) => (file.value = event.currentTarget.value)}
          />
        </label>
        <datalist id="known-robots">
          {SHIPPED_ROBOTS.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <label>
          Name
          <input
            name="name"
            required
            pattern="[A-Za-z_][A-Za-z0-9_]*"
            autocomplete="off"
            spellcheck={false}
            value={freeName(page.source, file.value)}
          />
        </label>
        <label>
          Program
          <input name="program" placeholder="none" autocomplete="off" spellcheck={false} />
        </label>
        <label>
          Arguments
          <input name="arguments" placeholder="none" autocomplete="off" spellcheck={false} />
        </label>
        <fieldset>
          <legend>Place</legend>
          <label class="choice">
            <input
              type="radio"
              name="where"
              checked={!isPlaced.value}
              onChange={() => (isPlaced.value = false)}
            />
            on a free lane
          </label>
          <label class="choice">
            <input
              type="radio"
              name="where"
              checked={isPlaced.value}
              onChange={() => (isPlaced.value = true)}
            />
            at a place
          </label>
          {isPlaced.value && (
            <div class="is-row">
              <label>
                x [m]
                <input name="x" type="number" step="any" required value="0" />
              </label>
              <label>
                y [m]
                <input name="y" type="number" step="any" required value="0" />
              </label>
              <label>
                Heading [°]
                <input name="heading" type="number" step="any" required value="0" />
              </label>
            </div>
          )}
        </fieldset>
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary">
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
