/** Small parts that all panels share. */

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Icon, type IconName } from "./icons";

/** A button with an icon; `label` is its name for those who do not see it, and its tip. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  /** The key that does the same, as `title` shows it. */
  shortcut?: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  tone?: "record" | "accent";
  text?: string;
}): JSX.Element {
  const { icon, label, shortcut, onClick, disabled, pressed, tone, text } = props;
  return (
    <button
      type="button"
      class={`button ${text === undefined ? "is-icon" : ""} ${tone ?? ""}`}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      disabled={disabled ?? false}
      onClick={onClick}
    >
      <Icon name={icon} />
      {text !== undefined && <span class="button-text">{text}</span>}
    </button>
  );
}

/** A window over the page that keeps the keyboard until it is closed. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-label={props.title}
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{props.title}</h2>
          <IconButton icon="close" label="Close" onClick={() => dialog.current?.close()} />
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

/** What a panel says where it has nothing to show. */
export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** A bar between two areas that the mouse or the arrow keys move. */
export function Splitter(props: {
  label: string;
  orientation: "vertical" | "horizontal";
  value: number;
  min: number;
  max: number;
  /** 1: the area grows to the right or downwards; -1: to the left or upwards. */
  direction: 1 | -1;
  onChange: (value: number) => void;
}): JSX.Element {
  const { label, orientation, value, min, max, direction, onChange } = props;
  const change = (next: number): void => onChange(Math.round(Math.min(max, Math.max(min, next))));
  const drag = (down: PointerEvent): void => {
    const bar = down.currentTarget as HTMLElement;
    const start = orientation === "vertical" ? down.clientX : down.clientY;
    bar.setPointerCapture(down.pointerId);
    bar.onpointermove = (move): void => {
      const now = orientation === "vertical" ? move.clientX : move.clientY;
      change(value + direction * (now - start));
    };
    bar.onpointerup = bar.onpointercancel = (): void => {
      bar.onpointermove = null;
    };
  };
  const press = (event: KeyboardEvent): void => {
    const [less, more] =
      orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    change(value + direction * (event.key === more ? 16 : -16));
  };
  return (
    <div
      class={`splitter is-${orientation}`}
      role="separator"
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}

/** Tabs with their panel; arrow keys go from one to the next. */
export function Tabs<Name extends string>(props: {
  label: string;
  tabs: readonly { name: Name; title: string; icon?: IconName; count?: number }[];
  chosen: Name;
  onChoose: (name: Name) => void;
  children: ComponentChildren;
}): JSX.Element {
  const { label, tabs, chosen, onChoose, children } = props;
  const press = (event: KeyboardEvent): void => {
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((each) => each.name === chosen);
    const next = tabs[(at + way + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.name);
    const bar = event.currentTarget as HTMLElement;
    requestAnimationFrame(() =>
      bar.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus(),
    );
  };
  return (
    <div class="tabs">
      <div class="tab-bar" role="tablist" aria-label={label} onKeyDown={press}>
        {tabs.map(({ name, title, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            class="tab"
            aria-selected={name === chosen}
            aria-controls={`panel-${name}`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {title}
            {count !== undefined && count > 0 && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`panel-${chosen}`} aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </div>
  );
}

/** Draws the calling part again whenever one of these changes. */
export function follow(...signals: readonly ReadonlySignal<unknown>[]): void {
  signals.forEach((each) => each.value);
}
