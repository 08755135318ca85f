/** All that the page knows and can do: the one object that its parts share. */

import { batch, computed, effect, signal } from "@preact/signals";

import { drivableRobots, robotsOf } from "../driving/vehicle";
import { commandData } from "../link/commands";
import type { Entry } from "../link/entering";
import {
  ControlRequest_Action,
  Program_State,
  ProgramOrder_Action,
  Status_Phase,
  TimeOrder_Action,
  type Client as ClientInfo,
  type Program,
  type Status,
  type TimeReport,
} from "../link/generated/autosim/v1/autosim_pb";
import type { Connection, PageLink } from "../link/page_link";
import { isUnauthenticated, reasonOf, type SimulatorClient } from "../link/simulator";
import type { PageSource } from "../link/source";
import { SimulationTree, type TreeField, type TreeNode } from "../link/tree";
import { Arranging } from "./arranging";
import { Driver } from "./driver";
import { Messages, type Level } from "./messages";
import { Plots } from "./plots";
import { ViewChoice } from "./view";

/** Real time [ms] between two updates of numbers on the page. */
const TICK = 100;

/** Real time [ms] between two questions to the server. */
const ASK = 1000;

/** Longest time [ms] without such questions, for the sake of the first picture. */
const QUIET = 5000;

/** Longest time [ms] of a change of robots: a busy machine builds their world again. */
const CHANGE = { timeoutMs: 58_000 };

/** Pages of messages that are asked for at once. */
const MOST_REPORTS = 8;

export type CameraKind = "chase" | "driver" | "orbit" | "map";

/** A short message over the picture. */
export interface Toast {
  id: number;
  level: Level;
  text: string;
}

export class Page {
  readonly entry: Entry;
  readonly client: SimulatorClient;
  readonly source: PageSource;
  readonly driver: Driver;
  readonly messages = new Messages();
  readonly plots = new Plots();
  readonly view = new ViewChoice();
  readonly arranging = new Arranging();

  readonly connection = signal<Connection>({ kind: "connecting" });
  /** What is wrong with a connection that lives, "" where nothing is. */
  readonly trouble = signal("");
  readonly tree = signal<SimulationTree | null>(null);
  /** Whether the page asks the server once a second: until there is a picture, that would hold it up. */
  isAskingOften = false;
  /** Counts up when numbers are to be read again. */
  readonly tick = signal(0);
  readonly status = signal<Status | null>(null);
  readonly time = signal<TimeReport | null>(null);
  readonly programs = signal<Program[]>([]);
  readonly clients = signal<ClientInfo[]>([]);
  readonly toasts = signal<Toast[]>([]);
  /** Qualified name of the selected node, "" where none is. */
  readonly selected = signal("");
  /** What the user has chosen, and the picture marks; "" where that is nothing. */
  readonly marked = signal("");
  /** Robot that the picture follows, "" where there is none. */
  readonly followed = signal("");
  readonly camera = signal<CameraKind>("chase");
  /** Nodes whose values the tree shows now. */
  readonly shown = signal<TreeNode[]>([]);
  /** Nodes whose values lie over the picture. */
  readonly drawn = signal<TreeNode[]>([]);

  /** The change that Undo undoes, in words, "" where there is none: a second old at most. */
  readonly undoable = computed(() => this.status.value?.undoable ?? "");
  readonly isStill = computed(() => {
    const phase = this.status.value?.phase;
    return phase !== undefined && phase !== Status_Phase.RUNNING;
  });
  readonly robots = computed(() => (this.tree.value === null ? [] : robotsOf(this.tree.value)));
  /** Robots that this page's role lets a person drive. */
  readonly drivable = computed(() => {
    const { role, robots } = this.entry;
    if (this.tree.value === null || role === "view") return [];
    const found = drivableRobots(this.tree.value);
    return role === "control" ? found : found.filter((each) => robots.includes(each));
  });
  readonly failed = computed(() =>
    this.programs.value.filter(
      ({ state }) => state === Program_State.FAILED || state === Program_State.DISABLED,
    ),
  );

  readonly #link: PageLink;
  #nextMessage = 0n;
  #toast = 0;
  #stops: (() => void)[] = [];
  #isAsking = false;

  constructor(
    link: PageLink,
    private readonly onRefused: (reason: string) => void,
  ) {
    this.#link = link;
    this.entry = link.entry;
    this.client = link.client;
    this.source = link.openSource((connection, trouble) => {
      batch(() => {
        this.connection.value = connection;
        this.trouble.value = trouble;
      });
      if (connection.kind === "refused") this.onRefused(connection.reason);
    });
    this.driver = new Driver(link, this.source, this.mayControl, (level, text) =>
      this.say(level, text),
    );
    this.#follow();
  }

  get mayControl(): boolean {
    return this.entry.role === "control";
  }

  /** Whether the page may run, pause and move in time; a recording in it may always be played. */
  get mayControlTime(): boolean {
    return this.mayControl || this.source.run !== null;
  }

  close(): void {
    this.driver.giveBack();
    for (const each of this.#stops) each();
    this.source.close();
  }

  /** Shows a short message, and keeps it among the messages. */
  say(level: Level, text: string): void {
    this.messages.add([{ level, source: "page", text, time: null }]);
    const toast = { id: this.#toast++, level, text };
    this.toasts.value = [...this.toasts.value.slice(-2), toast];
    setTimeout(() => this.dismiss(toast.id), 6000);
  }

  dismiss(id: number): void {
    this.toasts.value = this.toasts.value.filter((each) => each.id !== id);
  }

  select(path: string): void {
    this.selected.value = this.marked.value = path;
    const robot = path.split(".")[0] ?? "";
    if (this.robots.value.includes(robot)) this.followed.value = robot;
  }

  plot(field: TreeField, together = false): void {
    this.plots.add(field, this.source, together);
  }

  // Time

  run(): Promise<void> {
    const pace = this.status.value?.realTimeFactor ?? 1;
    return this.setPace(pace === 0 && this.status.value?.phase === Status_Phase.READY ? 1 : pace);
  }

  /** Runs at this pace; 0: as fast as possible. */
  setPace(realTimeFactor: number): Promise<void> {
    return this.#control({ action: ControlRequest_Action.RUN, realTimeFactor });
  }

  pause(): Promise<void> {
    return this.#control({ action: ControlRequest_Action.PAUSE });
  }

  step(): Promise<void> {
    return this.#control({ action: ControlRequest_Action.STEP, steps: 1n });
  }

  toggle(): Promise<void> {
    return this.isStill.value ? this.run() : this.pause();
  }

  record(): Promise<void> {
    return this.#order(
      this.time.value?.record === undefined ? TimeOrder_Action.RECORD : TimeOrder_Action.STOP_RECORD,
    );
  }

  keepMoment(name: string): Promise<void> {
    return this.#order(TimeOrder_Action.SNAPSHOT, { name });
  }

  goBackTo(name: string): Promise<void> {
    return this.#order(TimeOrder_Action.RESTORE, { name });
  }

  dropMoment(name: string): Promise<void> {
    return this.#order(TimeOrder_Action.DROP, { name });
  }

  rewind(seconds: number): Promise<void> {
    return this.#order(TimeOrder_Action.REWIND, { seconds });
  }

  seek(step: number): Promise<void> {
    return this.#order(TimeOrder_Action.SEEK, { step: BigInt(Math.round(step)) });
  }

  // Programs

  restartProgram(robot: string, args?: string[]): Promise<void> {
    return this.#orderProgram({
      action: ProgramOrder_Action.RESTART,
      robot,
      arguments: args ?? [],
      hasArguments: args !== undefined,
    });
  }

  stopProgram(robot: string): Promise<void> {
    return this.#orderProgram({ action: ProgramOrder_Action.STOP, robot });
  }

  attachProgram(robot: string, file: string, args: string[]): Promise<void> {
    return this.#orderProgram({ action: ProgramOrder_Action.ATTACH, robot, file, arguments: args });
  }

  // Robots

  addRobot(robot: {
    file: string;
    name: string;
    program: string;
    arguments: string[];
    place: { x: number; y: number; yaw: number } | null;
  }): Promise<void> {
    const { place, ...rest } = robot;
    return this.#change(() =>
      this.client.addRobot({ ...rest, isPlaced: place !== null, ...(place ?? {}) }, CHANGE),
    );
  }

  moveRobot(robot: string, x: number, y: number, yaw?: number, height?: number): Promise<void> {
    return this.#change(() => this.client.moveRobot({ robot, x, y, yaw, height }));
  }

  /** Whether this page may set values of a node. */
  maySet(node: TreeNode): boolean {
    if (node.access === "read" || this.entry.role === "view") return false;
    return this.mayControl || this.entry.robots.includes(node.path.split(".")[0] ?? "");
  }

  /** Sets the numbers of a field with the next step; what else its actuator has stays. */
  setField(field: TreeField, numbers: readonly number[]): Promise<void> {
    const { node } = field;
    const data = commandData(this.source.viewOf(node), node, field, numbers);
    return this.#try(() => this.#link.setActuator(node.path, data));
  }

  removeRobot(robot: string): Promise<void> {
    return this.#change(() => this.client.removeRobot({ robot }, CHANGE));
  }

  undo(): Promise<void> {
    return this.#try(async () => {
      const { undone } = await this.client.undo({}, CHANGE);
      this.say("info", `undone: ${undone}`);
      await this.#askReport();
    });
  }

  /** Asks the server for all that the page shows and the stream does not carry. */
  async ask(): Promise<void> {
    if (this.#isAsking || this.connection.value.kind !== "live") return;
    this.#isAsking = true;
    try {
      const questions = [this.#askReport(), this.#askPrograms(), this.#askClients()];
      if (this.mayControlTime) questions.push(this.#askTime());
      await Promise.all(questions);
    } catch (error) {
      if (isUnauthenticated(error)) this.onRefused(reasonOf(error));
    } finally {
      this.#isAsking = false;
    }
  }

  #follow(): void {
    let isDue = true;
    const timer = setInterval(() => {
      if (!isDue || document.hidden) return;
      isDue = false;
      this.plots.sample(this.source);
      this.tick.value++;
    }, TICK);
    const asking = setInterval(() => {
      if (!document.hidden && this.isAskingOften) void this.ask();
    }, ASK);
    const quiet = setTimeout(() => (this.isAskingOften = true), QUIET);
    this.#stops.push(
      () => clearTimeout(quiet),
      this.source.onState(() => (isDue = true)),
      this.source.onHello(() => this.#greet()),
      () => clearInterval(timer),
      () => clearInterval(asking),
      effect(() => {
        if (this.tree.value === null) return;
        const nodes = [...this.shown.value, ...this.plots.nodes(this.source), ...this.drawn.value];
        const selected = this.source.tree.find(this.selected.value);
        if (selected !== undefined) nodes.push(selected);
        this.source.watch([...new Set(nodes)]);
      }),
    );
  }

  #greet(): void {
    const robots = robotsOf(this.source.tree);
    batch(() => {
      this.tree.value = this.source.tree;
      if (!robots.includes(this.followed.value)) this.followed.value = robots[0] ?? "";
      const { selected, followed } = this;
      const isThere = this.source.tree.find(selected.value) !== undefined;
      if (selected.value === "" || !isThere) selected.value = followed.value;
      if (robots.length === 0) this.camera.value = "orbit";
      this.tick.value++;
    });
    void this.ask();
  }

  async #askReport(): Promise<void> {
    for (let k = 0; k < MOST_REPORTS; k++) {
      const report = await this.client.report({ messagesAfter: this.#nextMessage });
      this.status.value = report.status ?? null;
      if (report.messages.length === 0) return;
      this.#nextMessage = (report.messages.at(-1)?.number ?? 0n) + 1n;
      const { stepSeconds } = this.source;
      this.messages.add(
        report.messages.map(({ level, source, step, text }) => ({
          level: level === "error" || level === "warning" ? level : "info",
          source,
          text,
          time: step > 0n ? Number(step) * stepSeconds : null,
        })),
      );
    }
  }

  async #askPrograms(): Promise<void> {
    this.programs.value = (await this.client.programs({})).programs;
  }

  async #askClients(): Promise<void> {
    this.clients.value = (await this.client.clients({})).clients;
  }

  async #askTime(): Promise<void> {
    this.time.value = await this.client.controlTime({ action: TimeOrder_Action.REPORT });
  }

  async #control(request: {
    action: ControlRequest_Action;
    steps?: bigint;
    realTimeFactor?: number;
  }): Promise<void> {
    await this.#try(async () => {
      this.status.value = await this.client.control(request);
    });
  }

  async #order(
    action: TimeOrder_Action,
    order: { name?: string; seconds?: number; step?: bigint } = {},
  ): Promise<void> {
    await this.#try(async () => {
      const report = await this.client.controlTime({ action, ...order });
      const isEnd = action === TimeOrder_Action.STOP_RECORD;
      if (isEnd && report.record !== undefined) this.say("info", `recorded ${report.record.path}`);
      await this.#askTime();
    });
  }

  async #orderProgram(order: {
    action: ProgramOrder_Action;
    robot: string;
    file?: string;
    arguments?: string[];
    hasArguments?: boolean;
  }): Promise<void> {
    await this.#try(async () => {
      this.programs.value = (await this.client.controlProgram(order)).programs;
    });
  }

  async #change(change: () => Promise<Status>): Promise<void> {
    await this.#try(async () => {
      this.status.value = await change();
    });
  }

  async #try(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.say("error", reasonOf(error));
    }
  }
}
