/** Time: the record of the run, snapshots that are kept, and the way back to them. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import type { Page } from "../state/page";
import { Dialog, Empty, IconButton } from "./parts";
import { textOf } from "./programs_panel";

/** Characters of a digest that are shown. */
const DIGEST = 16;

export function TimePanel({ page }: { page: Page }): JSX.Element {
  const isKeeping = useSignal(false);
  const report = page.time.value;
  if (!page.mayControl) return <Empty>Snapshots are for those with the role control.</Empty>;
  if (report === null) return <Empty>No world yet.</Empty>;
  const { record, snapshots, stateDigest } = report;
  return (
    <section class="panel time" aria-label="Time">
      <div class="panel-tools">
        <IconButton
          icon={record === undefined ? "record" : "stop"}
          tone="record"
          label={record === undefined ? "Record the run" : "Stop the record"}
          text={record === undefined ? "Record" : "Stop"}
          pressed={record !== undefined}
          disabled={report.isReplay}
          onClick={() => void page.record()}
        />
        <IconButton
          icon="keep"
          label="Take a snapshot…"
          text="Take a snapshot…"
          disabled={report.isReplay}
          onClick={() => (isKeeping.value = true)}
        />
      </div>
      {record !== undefined && (
        <p class="note">
          {record.failure !== ""
            ? record.failure
            : `${record.path}: ${record.states} states, ${(Number(record.bytes) / 1e6).toFixed(1)} MB`}
        </p>
      )}
      {snapshots.length === 0 ? (
        <Empty>No snapshot yet.</Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Snapshots">
          <table>
            <thead>
              <tr>
                <th scope="col">Snapshot</th>
                <th scope="col">Time</th>
                <th scope="col">Memory</th>
                <th scope="col">
                  <span class="unseen">What can be done</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {snapshots.map((each) => (
                <tr key={each.name}>
                  <th scope="row">{each.name}</th>
                  <td class="number">{(1e-9 * Number(each.timeNs)).toFixed(3)} s</td>
                  <td class="number">{(1e-6 * Number(each.bytes)).toFixed(0)} MB</td>
                  <td class="cell-actions">
                    <IconButton
                      icon="back"
                      label={`Go back to ${each.name}`}
                      onClick={() => void page.goBackTo(each.name)}
                    />
                    <IconButton
                      icon="close"
                      label={`Drop ${each.name}`}
                      onClick={() => void page.dropMoment(each.name)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {stateDigest !== "" && (
        <p class="note" title={`SHA-256 of all states so far: ${stateDigest}`}>
          digest <code data-digest={stateDigest}>{stateDigest.slice(0, DIGEST)}</code>
        </p>
      )}
      {isKeeping.value && (
        <KeepDialog page={page} onClose={() => (isKeeping.value = false)} />
      )}
    </section>
  );
}

export function KeepDialog({ page, onClose }: { page: Page; onClose: () => void }): JSX.Element {
  const count = page.time.value?.snapshots.length ?? 0;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    void page.keepMoment(textOf(form, "name")).then(onClose);
  };
  return (
    <Dialog title="Take a Snapshot" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <label>
          Its name
          <input name="name" required value={`snapshot ${count + 1}`} autocomplete="off" />
        </label>
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary">
            Take
          </button>
        </div>
      </form>
    </Dialog>
  );
}
