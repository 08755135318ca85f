/** What the page shows before it is let in. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import { enterWith, type Entry } from "../link/entering";
import { textOf } from "./programs_panel";

export function Door(props: { reason: string; onEnter: (entry: Entry) => void }): JSX.Element {
  const { reason, onEnter } = props;
  const failure = useSignal(reason);
  const isBusy = useSignal(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const token = textOf(new FormData(event.currentTarget as HTMLFormElement), "token");
    isBusy.value = true;
    enterWith(token)
      .then(onEnter)
      .catch((error: unknown) => {
        failure.value = error instanceof Error ? error.message : String(error);
      })
      .finally(() => (isBusy.value = false));
  };
  return (
    <main class="door">
      <div class="door-card">
        <h1>AutoSim</h1>
        <p class="door-reason" role="status">
          {failure.value}
        </p>
        <p>
          Each link opens one page. For a new one, run <code>autosim web link</code> beside the
          server, or enter a token that its owner has given you.
        </p>
        <form class="form" onSubmit={submit}>
          <label>
            Token
            <input
              name="token"
              type="password"
              required
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          <button type="submit" class="button is-primary" disabled={isBusy.value}>
            Enter
          </button>
        </form>
      </div>
    </main>
  );
}
