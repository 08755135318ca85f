/** Simulation objects: the tree with live values, and a filter by name. */

import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { otherUnits, unitText, valueText } from "../link/values";
import type { SimulationTree, TreeField, TreeNode } from "../link/tree";
import type { Page } from "../state/page";
import { setByKeys } from "./actuator_form";
import { Icon } from "./icons";
import { Empty, follow, IconButton } from "./parts";

/** Robots that are shown unfolded at first: with more, the next one would be out of sight. */
const FEW_ROBOTS = 3;

/** Rows beyond the visible ones that are drawn, too. */
const MARGIN = 6;


/** A row: a node, a field of a node, or a node with its only field. */
export interface Row {
  key: string;
  label: string;
  node: TreeNode;
  field: TreeField | null;
  depth: number;
  hasChildren: boolean;
  isOpen: boolean;
}

/** The visible rows of a tree; with a filter all that match, and what leads to them. */
export function rowsOf(tree: SimulationTree, open: ReadonlySet<string>, filter: string): Row[] {
  const rows: Row[] = [];
  const wanted = filter.trim().toLowerCase();
  const matches = (path: string): boolean => path.toLowerCase().includes(wanted);
  const holds = (node: TreeNode): boolean =>
    matches(node.path) ||
    node.fields.some((each) => matches(each.path)) ||
    node.children.some(holds);
  const addField = (field: TreeField, depth: number): void => {
    if (wanted !== "" && !matches(field.path)) return;
    rows.push({
      key: `${field.path}:`,
      label: field.name,
      node: field.node,
      field,
      depth,
      hasChildren: false,
      isOpen: false,
    });
  };
  const addNode = (node: TreeNode, depth: number): void => {
    if (wanted !== "" && !holds(node)) return;
    const carried = node.fields.length === 1 ? (node.fields[0] ?? null) : null;
    const fields = carried === null ? node.fields : [];
    const hasChildren = fields.length + node.children.length > 0;
    const isOpen = hasChildren && (wanted !== "" || open.has(node.path));
    rows.push({
      key: node.path,
      label: node.name,
      node,
      field: carried,
      depth,
      hasChildren,
      isOpen,
    });
    if (!isOpen) return;
    for (const each of fields) addField(each, depth + 1);
    for (const each of node.children) addNode(each, depth + 1);
  };
  for (const each of tree.root.fields) addField(each, 0);
  for (const each of tree.root.children) addNode(each, 0);
  return rows;
}

export function ObjectsPanel({ page, onAdd }: { page: Page; onAdd: () => void }): JSX.Element {
  const filter = useSignal("");
  const open = useSignal<ReadonlySet<string>>(new Set());
  const tree = page.tree.value;
  useEffect(() => {
    if (tree === null || open.value.size > 0) return;
    const robots = tree.root.children.filter((each) => each.kind === "Robot");
    const first = robots.slice(0, robots.length <= FEW_ROBOTS ? robots.length : 1);
    open.value = new Set(
      first.flatMap((each) => [each.path, ...each.children.slice(0, 1).map((part) => part.path)]),
    );
  }, [tree, open]);
  const { undoable } = page;
  return (
    <section class="panel objects" aria-labelledby="objects-title">
      <header class="panel-head">
        <h2 id="objects-title">Simulation Objects</h2>
        {page.mayControl && (
          <>
            <IconButton
              icon="undo"
              label={undoable.value === "" ? "Undo" : `Undo: ${undoable.value}`}
              shortcut="Control+Z"
              onClick={() => void page.undo()}
            />
            <IconButton icon="add" label="Add a Robot…" onClick={onAdd} />
          </>
        )}
      </header>
      <div class="filter">
        <input
          type="search"
          id="objects-filter"
          placeholder="Filter by name"
          aria-label="Filter by name"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
      </div>
      {tree === null ? (
        <Empty>No world yet.</Empty>
      ) : (
        <Tree
          page={page}
          tree={tree}
          open={open.value}
          filter={filter.value}
          onToggle={(path, isOpen) => {
            const next = new Set(open.value);
            if (isOpen) next.add(path);
            else next.delete(path);
            open.value = next;
          }}
        />
      )}
    </section>
  );
}

function Tree(props: {
  page: Page;
  tree: SimulationTree;
  open: ReadonlySet<string>;
  filter: string;
  onToggle: (path: string, isOpen: boolean) => void;
}): JSX.Element {
  const { page, tree, open, filter, onToggle } = props;
  const rows = useMemo(() => rowsOf(tree, open, filter), [tree, open, filter]);
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const rowHeight = useSignal(26);
  const current = useSignal("");
  useEffect(() => {
    const own = box.current;
    if (own === null) return;
    const observer = new ResizeObserver(() => {
      height.value = own.clientHeight;
      const rem = parseFloat(getComputedStyle(own).getPropertyValue("--row"));
      rowHeight.value = rem * parseFloat(getComputedStyle(document.documentElement).fontSize);
    });
    observer.observe(own);
    return () => observer.disconnect();
  }, [height, rowHeight]);

  const begin = Math.max(0, Math.floor(top.value / rowHeight.value) - MARGIN);
  const end = Math.min(
    rows.length,
    Math.ceil((top.value + height.value) / rowHeight.value) + MARGIN,
  );
  const visible = rows.slice(begin, end);
  useEffect(() => {
    page.shown.value = [...new Set(visible.map((each) => each.node))];
  }, [begin, end, rows]);

  const selected = page.selected.value;
  useSignalEffect(() => {
    current.value = page.selected.value;
  });
  const at = Math.max(
    0,
    rows.findIndex((each) => each.key === current.value),
  );

  const goTo = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    const own = box.current;
    if (row === undefined || own === null) return;
    current.value = row.key;
    const y = Math.max(0, Math.min(rows.length - 1, index)) * rowHeight.value;
    if (y < own.scrollTop) own.scrollTop = y;
    if (y + rowHeight.value > own.scrollTop + own.clientHeight) {
      own.scrollTop = y + rowHeight.value - own.clientHeight;
    }
    page.select(row.node.path);
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    const page_ = Math.floor(height.value / rowHeight.value);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: at + page_,
      PageUp: at - page_,
    };
    const target = moves[event.key];
    if (target !== undefined) goTo(target);
    else if (event.key === "ArrowRight") {
      if (row.hasChildren && !row.isOpen) onToggle(row.node.path, true);
      else if (row.isOpen) goTo(at + 1);
    } else if (event.key === "ArrowLeft") {
      if (row.isOpen) onToggle(row.node.path, false);
      else goTo(rows.findLastIndex((each, k) => k < at && each.depth < row.depth));
    } else if (event.key === "Enter") {
      if (row.field !== null && page.maySet(row.node)) void setByKeys(row.field);
      else if (row.hasChildren) onToggle(row.node.path, !row.isOpen);
    } else if (event.key === "p" || event.key === "P") {
      if (row.field !== null) page.plot(row.field, event.shiftKey);
    } else return; // Letters mean the same here as everywhere; `/` looks for a name.
    event.preventDefault();
    event.stopPropagation();
  };
  if (rows.length === 0) return <Empty>Nothing is named like that.</Empty>;
  return (
    <div
      ref={box}
      class="tree"
      role="tree"
      aria-label="Simulation objects"
      tabIndex={0}
      aria-activedescendant={begin <= at && at < end ? `row-${at}` : undefined}
      onKeyDown={press}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
    >
      <div class="tree-space" role="presentation" style={{ height: `${rows.length * rowHeight.value}px` }}>
        {visible.map((row, k) => (
          <TreeRow
            key={row.key}
            page={page}
            row={row}
            id={`row-${begin + k}`}
            y={(begin + k) * rowHeight.value}
            isCurrent={begin + k === at}
            isSelected={row.node.path === selected && row.key === row.node.path}
            onToggle={onToggle}
            onChoose={() => goTo(begin + k)}
          />
        ))}
      </div>
    </div>
  );
}

function TreeRow(props: {
  page: Page;
  row: Row;
  id: string;
  y: number;
  isCurrent: boolean;
  isSelected: boolean;
  onToggle: (path: string, isOpen: boolean) => void;
  onChoose: () => void;
}): JSX.Element {
  const { page, row, id, y, isCurrent, isSelected, onToggle, onChoose } = props;
  const { node, field } = row;
  return (
    <div
      class="tree-row"
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-expanded={row.hasChildren ? row.isOpen : undefined}
      aria-selected={isSelected || isCurrent}
      data-path={field?.path ?? node.path}
      style={{ transform: `translateY(${y}px)`, "--depth": String(row.depth) }}
      onClick={() => {
        onChoose();
        if (row.hasChildren && row.field === null) onToggle(node.path, !row.isOpen);
      }}
      onDblClick={() => {
        if (field !== null) page.plot(field);
        else if (node.kind === "Robot") page.followed.value = node.name;
      }}
    >
      <span class={`chevron ${row.isOpen ? "is-open" : ""}`}>
        {row.hasChildren && <Icon name="chevron" />}
      </span>
      <span class={`tree-name ${row.key === node.path ? "is-node" : ""}`} title={tipOf(page, row)}>
        {row.label}
      </span>
      {field === null ? (
        <span class="tree-kind">{node.kind}</span>
      ) : (
        <Value page={page} field={field} />
      )}
    </div>
  );
}

/** A live value with its unit. */
function Value({ page, field }: { page: Page; field: TreeField }): JSX.Element {
  follow(page.tick);
  const view = page.source.viewOf(field.node);
  return (
    <>
      <span class="tree-value" title={tipOfValue(page, view, field)}>
        {valueText(view, field, page.isStill.value, "short")}
      </span>
      <span class="tree-unit">{unitText(field)}</span>
    </>
  );
}

function tipOfValue(page: Page, view: DataView, field: TreeField): string {
  const full = `${valueText(view, field, page.isStill.value)} ${unitText(field)}`;
  return `${full}\n${otherUnits(view, field)}`.trim();
}

function tipOf(page: Page, { node, field, key }: Row): string {
  const said = field !== null ? field.meaning : (page.source.tree.kinds.get(node.kind) ?? "");
  const name = key === node.path ? `${node.path} (${node.kind})` : (field?.path ?? "");
  return said === "" ? name : `${name}\n${said}`;
}
