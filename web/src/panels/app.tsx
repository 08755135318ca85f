/** The page: bar, panels and picture. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { appearance, type Appearance } from "../state/appearance";
import { arrange, layout, sheet, type RightTab, type Sheet } from "../state/layout";
import type { Page } from "../state/page";
import { AddRobotDialog } from "./add_robot";
import { Icon, type IconName } from "./icons";
import { KeysDialog } from "./keys_dialog";
import { Message, MessagesPanel } from "./messages_panel";
import { NetworkPanel } from "./network_panel";
import { ObjectsPanel } from "./objects_panel";
import { IconButton, Splitter, Tabs } from "./parts";
import { Picture } from "./picture";
import { PlotsPanel } from "./plots_panel";
import { ProgramsPanel } from "./programs_panel";
import { PropertiesPanel } from "./properties_panel";
import { listen, toggleDriving } from "./shortcuts";
import { TimePanel } from "./time_panel";
import { StatusChip, TransportBar } from "./transport_bar";

/** Width [px] below which panels are sheets from below. */
const NARROW = "(max-width: 819px)";

const LOOKS: Record<Appearance, { next: Appearance; icon: IconName; title: string }> = {
  system: { next: "light", icon: "system", title: "Appearance: as the system" },
  light: { next: "dark", icon: "light", title: "Appearance: light" },
  dark: { next: "system", icon: "dark", title: "Appearance: dark" },
};

export function App({ page }: { page: Page }): JSX.Element {
  const isAdding = useSignal(false);
  const areKeysShown = useSignal(false);
  const isNarrow = useSignal(window.matchMedia(NARROW).matches);
  useEffect(() => {
    const query = window.matchMedia(NARROW);
    const change = (): void => {
      isNarrow.value = query.matches;
    };
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, [isNarrow]);
  useEffect(() => listen(page, () => (areKeysShown.value = true)), [page, areKeysShown]);
  const add = (): void => {
    isAdding.value = true;
  };
  return (
    <div class={`app ${isNarrow.value ? "is-narrow" : "is-wide"}`}>
      <TopBar page={page} isNarrow={isNarrow.value} onKeys={() => (areKeysShown.value = true)} />
      {isNarrow.value ? <Narrow page={page} onAdd={add} /> : <Wide page={page} onAdd={add} />}
      {isAdding.value && <AddRobotDialog page={page} onClose={() => (isAdding.value = false)} />}
      {areKeysShown.value && <KeysDialog onClose={() => (areKeysShown.value = false)} />}
    </div>
  );
}

function TopBar(props: { page: Page; isNarrow: boolean; onKeys: () => void }): JSX.Element {
  const { page, isNarrow, onKeys } = props;
  const { role } = page.entry;
  const look = LOOKS[appearance.value];
  const driven = page.driver.robot.value;
  const count = page.status.value?.clients ?? 0;
  return (
    <header class="top">
      <h1 class="brand">
        <Mark />
        <span class="brand-name">AutoSim</span>
      </h1>
      <span class="world" title="The world">
        {page.tree.value === null ? "" : page.source.world}
      </span>
      <StatusChip page={page} />
      <span class="space" />
      {page.drivable.value.length > 0 && (
        <IconButton
          icon="wheel"
          tone="accent"
          label={driven === "" ? "Take over" : `Give back ${driven}`}
          shortcut="Control+D"
          text={driven === "" ? "Take Over" : "Give Back"}
          pressed={driven !== ""}
          disabled={page.driver.isStarting.value}
          onClick={() => toggleDriving(page)}
        />
      )}
      {!isNarrow && (
        <span class="facts">
          {page.source.run !== null ? (
            <span class="mark">recording</span>
          ) : (
            <>
              {role !== "control" && (
                <span class="mark">{role === "view" ? "viewer" : "driver"}</span>
              )}
              <span title="Clients connected to the server">
                {count} {count === 1 ? "client" : "clients"}
              </span>
            </>
          )}
        </span>
      )}
      {!isNarrow && <IconButton icon="keys" label="Keys" shortcut="?" onClick={onKeys} />}
      <IconButton
        icon={look.icon}
        label={look.title}
        onClick={() => (appearance.value = look.next)}
      />
    </header>
  );
}

function Mark(): JSX.Element {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="brand-ground" />
      <path d="M6.5 24 13.4 7.5h5.2L25.5 24h-4L20 20.3h-8L10.500 24Z" class="brand-sign" />
      <path d="M11.6 17.2h8.800" class="brand-line" />
    </svg>
  );
}

const TABS: readonly { name: RightTab; title: string }[] = [
  { name: "plots", title: "Plots" },
  { name: "programs", title: "User Programs" },
  { name: "network", title: "Network" },
  { name: "time", title: "Time" },
];

function tabsOf(page: Page): { name: RightTab; title: string; count?: number }[] {
  return TABS.filter(({ name }) => isShown(page, name)).map((each) => {
    if (each.name === "plots") return { ...each, count: page.plots.list.value.length };
    if (each.name === "programs") return { ...each, count: page.failed.value.length };
    return each;
  });
}

/** Whether a panel has something to show on this page: a recording has no programs or clients. */
function isShown(page: Page, name: Sheet): boolean {
  if (name === "time") return page.mayControl;
  return page.source.run === null || (name !== "programs" && name !== "network");
}

function RightPanel({ page, tab }: { page: Page; tab: RightTab }): JSX.Element {
  switch (tab) {
    case "plots":
      return <PlotsPanel page={page} />;
    case "programs":
      return <ProgramsPanel page={page} />;
    case "network":
      return <NetworkPanel page={page} />;
    case "time":
      return <TimePanel page={page} />;
  }
}

/** Size of text [px] for which widths of panels are kept: they grow with it on large screens. */
const USUAL_TEXT = 13;

function textSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || USUAL_TEXT;
}

function Wide({ page, onAdd }: { page: Page; onAdd: () => void }): JSX.Element {
  const { left, right, bottom, properties, isLeftOpen, isRightOpen, isBottomOpen } = layout.value;
  const tab = isShown(page, layout.value.tab) ? layout.value.tab : "plots";
  const scale = textSize() / USUAL_TEXT;
  return (
    <>
      <div class="middle">
        {isLeftOpen && (
          <>
            <aside class="side" style={{ width: `${left / USUAL_TEXT}rem` }} aria-label="Objects and properties">
              <ObjectsPanel page={page} onAdd={onAdd} />
              <Splitter
                label="Height of the properties"
                orientation="horizontal"
                value={properties}
                min={120}
                max={600}
                direction={-1}
                onChange={(value) => arrange({ properties: value })}
              />
              <div class="side-part" style={{ height: `${properties}px` }}>
                <PropertiesPanel page={page} />
              </div>
            </aside>
            <Splitter
              label="Width of the objects"
              orientation="vertical"
              value={left * scale}
              min={220 * scale}
              max={640 * scale}
              direction={1}
              onChange={(value) => arrange({ left: value / scale })}
            />
          </>
        )}
        <div class="centre">
          <Picture page={page} />
          <TransportBar page={page} />
        </div>
        {isRightOpen && (
          <>
            <Splitter
              label="Width of the plots"
              orientation="vertical"
              value={right * scale}
              min={240 * scale}
              max={900 * scale}
              direction={-1}
              onChange={(value) => arrange({ right: value / scale })}
            />
            <aside class="side" style={{ width: `${right / USUAL_TEXT}rem` }} aria-label="Plots, programs, network">
              <Tabs
                label="Panels"
                tabs={tabsOf(page)}
                chosen={tab}
                onChoose={(name) => arrange({ tab: name })}
              >
                <RightPanel page={page} tab={tab} />
              </Tabs>
            </aside>
          </>
        )}
      </div>
      {isBottomOpen && (
        <>
          <Splitter
            label="Height of the messages"
            orientation="horizontal"
            value={bottom}
            min={80}
            max={600}
            direction={-1}
            onChange={(value) => arrange({ bottom: value })}
          />
          <div class="bottom" style={{ height: `${bottom}px` }}>
            <MessagesPanel page={page} />
          </div>
        </>
      )}
      <StatusBar page={page} />
    </>
  );
}

/** The last line: switches of the panels, and the newest message. */
function StatusBar({ page }: { page: Page }): JSX.Element {
  const { isLeftOpen, isRightOpen, isBottomOpen } = layout.value;
  const newest = page.messages.list.value.at(-1);
  const faults = page.messages.list.value.filter((each) => each.level !== "info").length;
  return (
    <footer class="status-bar">
      <PanelSwitch
        icon="tree"
        title="Objects"
        isOn={isLeftOpen}
        onClick={() => arrange({ isLeftOpen: !isLeftOpen })}
      />
      <PanelSwitch
        icon="list"
        title="Messages"
        isOn={isBottomOpen}
        count={faults}
        onClick={() => arrange({ isBottomOpen: !isBottomOpen })}
      />
      <div class="newest">{newest !== undefined && !isBottomOpen && <Message entry={newest} />}</div>
      <PanelSwitch
        icon="plot"
        title={page.source.run === null ? "Plots and Programs" : "Plots"}
        isOn={isRightOpen}
        onClick={() => arrange({ isRightOpen: !isRightOpen })}
      />
    </footer>
  );
}

function PanelSwitch(props: {
  icon: IconName;
  title: string;
  isOn: boolean;
  count?: number;
  onClick: () => void;
}): JSX.Element {
  const { icon, title, isOn, count, onClick } = props;
  return (
    <button type="button" class="switch" aria-pressed={isOn} onClick={onClick}>
      <Icon name={icon} />
      {title}
      {count !== undefined && count > 0 && <span class="count">{count}</span>}
    </button>
  );
}

const SHEETS: readonly { name: Sheet; title: string; icon: IconName }[] = [
  { name: "objects", title: "Objects", icon: "tree" },
  { name: "plots", title: "Plots", icon: "plot" },
  { name: "programs", title: "Programs", icon: "program" },
  { name: "messages", title: "Messages", icon: "list" },
  { name: "time", title: "Time", icon: "clock" },
];

function Narrow({ page, onAdd }: { page: Page; onAdd: () => void }): JSX.Element {
  const shown = sheet.value;
  return (
    <>
      <Picture page={page} />
      {shown !== null && (
        <div class="sheet" role="region" aria-label={shown}>
          {shown === "objects" && (
            <>
              <ObjectsPanel page={page} onAdd={onAdd} />
              <PropertiesPanel page={page} />
            </>
          )}
          {shown === "messages" && <MessagesPanel page={page} />}
          {shown !== "objects" && shown !== "messages" && shown !== "properties" && (
            <RightPanel page={page} tab={shown} />
          )}
        </div>
      )}
      <TransportBar page={page} isNarrow />
      <nav class="sheet-bar" aria-label="Panels">
        {SHEETS.filter(({ name }) => isShown(page, name)).map(
          ({ name, title, icon }) => (
            <button
              key={name}
              type="button"
              class="sheet-switch"
              aria-pressed={shown === name}
              onClick={() => (sheet.value = shown === name ? null : name)}
            >
              <Icon name={icon} />
              {title}
            </button>
          ),
        )}
      </nav>
    </>
  );
}
