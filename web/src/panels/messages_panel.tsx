/** Messages: what the server, its programs and this page report. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Entry, Level } from "../state/messages";
import type { Page } from "../state/page";
import { Icon } from "./icons";
import { Empty, IconButton } from "./parts";

const RANK: Record<Level, number> = { info: 0, warning: 1, error: 2 };

/** Messages that are drawn: the newest ones. */
const MOST_SHOWN = 400;

export function MessagesPanel({ page }: { page: Page }): JSX.Element {
  const least = useSignal<Level>("info");
  const filter = useSignal("");
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const wanted = filter.value.toLowerCase();
  const shown = page.messages.list.value
    .filter(({ level }) => RANK[level] >= RANK[least.value])
    .filter(({ source, text }) => `${source} ${text}`.toLowerCase().includes(wanted))
    .slice(-MOST_SHOWN);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  });
  return (
    <section class="panel messages" aria-label="Messages">
      <div class="panel-tools">
        <select
          aria-label="Levels shown"
          value={least.value}
          onChange={(event) => (least.value = event.currentTarget.value as Level)}
        >
          <option value="info">All levels</option>
          <option value="warning">Warnings and errors</option>
          <option value="error">Errors</option>
        </select>
        <input
          type="search"
          placeholder="Filter messages"
          aria-label="Filter messages"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
        <button type="button" class="button" onClick={() => page.messages.clear()}>
          Clear
        </button>
      </div>
      {shown.length === 0 ? (
        <Empty>No messages.</Empty>
      ) : (
        <div
          ref={box}
          class="scroll message-list"
          role="log"
          aria-label="Messages and warnings"
          tabIndex={0}
          onScroll={({ currentTarget: own }) => {
            isAtEnd.current = own.scrollHeight - own.scrollTop - own.clientHeight < 24;
          }}
        >
          {shown.map((each) => (
            <Message key={each.number} entry={each} page={page} />
          ))}
        </div>
      )}
    </section>
  );
}

export function Message({ entry, page }: { entry: Entry; page?: Page }): JSX.Element {
  const { level, clock, time, source, text } = entry;
  const shown = time === null ? "" : `${time.toFixed(3)} s`;
  const canGo = page !== undefined && page.source.run !== null && time !== null;
  return (
    <div class={`message is-${level}`}>
      <span class="message-level" title={level}>
        <Icon name={level} />
        <span class="unseen">{level}</span>
      </span>
      <span class="message-clock">{clock}</span>
      {canGo ? (
        <button
          type="button"
          class="message-time is-link"
          title="Show this moment"
          onClick={() => void page.seek(time / page.source.stepSeconds)}
        >
          {shown}
        </button>
      ) : (
        <span class="message-time">{shown}</span>
      )}
      <span class="message-source" title={source}>
        {source.split("/").at(-1)}
      </span>
      <span class="message-text">{text}</span>
    </div>
  );
}

/** A red bar above the picture while a program has failed. */
export function Banner({ page }: { page: Page }): JSX.Element | null {
  const hidden = useSignal("");
  const failed = page.failed.value;
  const [first] = failed;
  const key = failed.map((each) => `${each.robot}:${each.restarts}:${each.exitReason}`).join("|");
  if (first === undefined || key === hidden.value) return null;
  const words = first.exitReason === "" ? "" : `: ${first.exitReason.split("\n")[0] ?? ""}`;
  const others = failed.length > 1 ? `, and ${failed.length - 1} more` : "";
  return (
    <div class="banner" role="alert">
      <Icon name="error" />
      <span class="banner-text" title={first.exitReason}>
        {`${first.robot}: ${first.file} has failed${words}${others}`}
      </span>
      {page.mayControl && (
        <button type="button" class="button" onClick={() => void page.restartProgram(first.robot)}>
          Restart
        </button>
      )}
      <IconButton icon="close" label="Hide" onClick={() => (hidden.value = key)} />
    </div>
  );
}
