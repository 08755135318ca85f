/** The tree of all that is simulated: names, kinds, and where each value lies in a state. */

import {
  Field_Type,
  Node_Access,
  type Field as FieldMessage,
  type Node as NodeMessage,
  type Record as RecordMessage,
  type Tree,
  type Value as ValueMessage,
} from "./generated/autosim/v1/tree_pb";

/** What an XML file says of a robot or an object: a frozen record in SI units and radians. */
export type Description =
  | number
  | string
  | boolean
  | null
  | Description[]
  | { kind: string; entries: { [name: string]: Description } };

export type FieldType = "float" | "integer" | "text";

/** One value of a node. */
export interface TreeField {
  readonly name: string;
  readonly node: TreeNode;
  /** Qualified: that of the node, '.', the field's name. */
  readonly path: string;
  readonly type: FieldType;
  /** Of SI; "" where there is none. */
  readonly unit: string;
  /** Bytes from the beginning of a state. */
  readonly offset: number;
  readonly bytes: number;
  /** Numbers along each axis; empty: one number. Of a list: rows at most, columns. */
  readonly shape: readonly number[];
  /** If there are any, the field is a list: an int64 with the count of its rows, then the rows. */
  readonly columns: readonly { name: string; unit: string }[];
  readonly limits: { low: number; high: number } | null;
  /** What the value means, in words; "" where nothing is said. */
  readonly meaning: string;
  /** Whether commands may leave it out, and all after it. */
  readonly mayLack: boolean;
}

export type Access = "read" | "set" | "drive";

/** A robot, a part, a device, traffic, ... */
export interface TreeNode {
  readonly name: string;
  /** Qualified from the robot down, joined by '.'; "" for the root. */
  readonly path: string;
  /** The XML element that it comes from: Robot, Box, Wheel, ... */
  readonly kind: string;
  readonly offset: number;
  readonly bytes: number;
  readonly access: Access;
  readonly parent: TreeNode | null;
  readonly fields: readonly TreeField[];
  readonly children: readonly TreeNode[];
}

/** All nodes, and what their files say of them. */
export class SimulationTree {
  readonly root: TreeNode;
  /** Bytes of a state. */
  readonly size: number;
  readonly digest: string;
  /** What files say of robots, by the name of their node. */
  readonly robots: ReadonlyMap<string, Description>;
  readonly objects: ReadonlyMap<string, Description>;
  /** What kinds of nodes are, in words. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly #nodes = new Map<string, TreeNode>();

  constructor(message: Tree) {
    this.digest = message.digest;
    this.size = Number(message.size);
    this.kinds = new Map(message.kinds.map((each) => [each.name, each.element?.description ?? ""]));
    const meanings = new Map(
      message.kinds.map((kind) => [
        kind.name,
        new Map(kind.fields.map((each) => [each.field, each.text])),
      ]),
    );
    if (message.root === undefined) {
      throw new Error("the server's description has no tree");
    }
    this.root = this.#node(message.root, null, meanings);
    this.robots = described(message.robots);
    this.objects = described(message.objects);
  }

  /** The node with this qualified name ("" is the root), undefined where there is none. */
  find(path: string): TreeNode | undefined {
    return this.#nodes.get(path);
  }

  /** The field with this qualified name, undefined where there is none. */
  findField(path: string): TreeField | undefined {
    const dot = path.lastIndexOf(".");
    const node = this.find(path.slice(0, Math.max(dot, 0)));
    return node?.fields.find((each) => each.name === path.slice(dot + 1));
  }

  #node(
    message: NodeMessage,
    parent: TreeNode | null,
    meanings: ReadonlyMap<string, ReadonlyMap<string, string>>,
  ): TreeNode {
    const path =
      parent === null ? "" : parent.path === "" ? message.name : `${parent.path}.${message.name}`;
    const fields: TreeField[] = [];
    const children: TreeNode[] = [];
    const node: TreeNode = {
      name: message.name,
      path,
      kind: message.kind,
      offset: Number(message.offset),
      bytes: Number(message.size),
      access: ACCESS[message.access],
      parent,
      fields,
      children,
    };
    const words = meanings.get(message.kind);
    fields.push(...message.fields.map((each) => field(each, node, words?.get(each.name) ?? "")));
    this.#nodes.set(path, node);
    children.push(...message.children.map((each) => this.#node(each, node, meanings)));
    return node;
  }
}

const ACCESS: Record<Node_Access, Access> = {
  [Node_Access.READ]: "read",
  [Node_Access.SET]: "set",
  [Node_Access.DRIVE]: "drive",
};

function field(message: FieldMessage, node: TreeNode, meaning: string): TreeField {
  const { limits } = message;
  return {
    name: message.name,
    node,
    path: node.path === "" ? message.name : `${node.path}.${message.name}`,
    type:
      message.type === Field_Type.TEXT
        ? "text"
        : message.type === Field_Type.INT64
          ? "integer"
          : "float",
    unit: message.unit === "1" ? "" : message.unit,
    offset: Number(message.offset),
    bytes: Number(message.size),
    shape: message.shape.map(Number),
    columns: message.columns.map((each) => ({
      name: each.name,
      unit: each.unit === "1" ? "" : each.unit,
    })),
    limits: limits === undefined ? null : { low: limits.low, high: limits.high },
    meaning,
    mayLack: message.mayLack,
  };
}

function described(records: Tree["robots"]): Map<string, Description> {
  const found = new Map<string, Description>();
  for (const each of records) {
    if (each.record === undefined) continue;
    const description = ofRecord(each.record);
    for (const name of each.nodes) found.set(name, description);
  }
  return found;
}

function ofRecord(message: RecordMessage): Description {
  const entries: { [name: string]: Description } = {};
  for (const each of message.entries) {
    entries[each.name] = each.value === undefined ? null : ofValue(each.value);
  }
  return { kind: message.kind, entries };
}

function ofValue(message: ValueMessage): Description {
  const { kind } = message;
  switch (kind.case) {
    case undefined:
      return null;
    case "integer":
      return Number(kind.value);
    case "list":
      return kind.value.values.map(ofValue);
    case "record":
      return ofRecord(kind.value);
    default:
      return kind.value;
  }
}
