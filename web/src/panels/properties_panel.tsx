/** Properties: the selected node with all its values, what they mean, and what can be done. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

import { numbersOf, otherUnits, unitText, valueText } from "../link/values";
import type { TreeField, TreeNode } from "../link/tree";
import { poseOf } from "../state/arranging";
import type { Page } from "../state/page";
import { SetField } from "./actuator_form";
import { Empty, follow, IconButton } from "./parts";

/** Rows of a list that are shown. */
const MOST_ROWS = 20;

export function PropertiesPanel({ page }: { page: Page }): JSX.Element {
  follow(page.tree);
  const node = page.source.tree.find(page.selected.value);
  return (
    <section class="panel properties" aria-labelledby="properties-title">
      <header class="panel-head">
        <h2 id="properties-title">Properties</h2>
      </header>
      {node === undefined || node.parent === null ? (
        <Empty>Select an object in the tree or in the picture.</Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={`Properties of ${node.path}`}>
          <Head page={page} node={node} />
          {node.kind === "Robot" && <RobotActions page={page} robot={node.name} key={node.path} />}
          <dl class="fields">
            {node.fields.map((each) => (
              <FieldValue key={each.path} page={page} field={each} />
            ))}
          </dl>
        </div>
      )}
    </section>
  );
}

function Head({ page, node }: { page: Page; node: TreeNode }): JSX.Element {
  const words = page.source.tree.kinds.get(node.kind) ?? "";
  return (
    <div class="node-head">
      <p class="node-name">{node.path}</p>
      <p class="node-kind">
        {node.kind}
        {node.access === "drive" && <span class="mark">drives the robot</span>}
      </p>
      {words !== "" && <p class="node-words">{words}</p>}
    </div>
  );
}

function FieldValue({ page, field }: { page: Page; field: TreeField }): JSX.Element {
  follow(page.tick);
  const view = page.source.viewOf(field.node);
  const other = otherUnits(view, field);
  const isList = field.columns.length > 0;
  return (
    <div class="field">
      <dt>
        <span class="field-name">{field.name}</span>
        {!isList && field.type !== "text" && (
          <IconButton
            icon="plot"
            label={`Plot ${field.name}`}
            onClick={() => page.plot(field)}
          />
        )}
      </dt>
      <dd>
        <span class="field-value">
          {valueText(view, field, page.isStill.value)} <span class="unit">{unitText(field)}</span>
        </span>
        {other !== "" && <span class="field-other">{other}</span>}
        {field.limits !== null && !page.maySet(field.node) && <Gauge page={page} field={field} />}
        <SetField page={page} field={field} />
        {isList && <Rows view={view} field={field} />}
        {field.meaning !== "" && <span class="field-meaning">{field.meaning}</span>}
      </dd>
    </div>
  );
}

/** Where an actuator's value is between its limits. */
function Gauge({ page, field }: { page: Page; field: TreeField }): JSX.Element {
  const { low, high } = field.limits ?? { low: 0, high: 1 };
  const [value = 0] = numbersOf(page.source.viewOf(field.node), field);
  const share = (each: number): number =>
    100 * Math.min(1, Math.max(0, (each - low) / (high - low || 1)));
  const zero = share(Math.min(Math.max(0, low), high));
  const now = share(value);
  return (
    <span class="gauge" aria-hidden="true">
      <span
        class="gauge-bar"
        style={{ left: `${Math.min(zero, now)}%`, width: `${Math.abs(now - zero)}%` }}
      />
      <span class="gauge-mark" style={{ left: `${now}%` }} />
    </span>
  );
}

function Rows({ view, field }: { view: DataView; field: TreeField }): JSX.Element | null {
  const width = field.columns.length;
  const numbers = numbersOf(view, field);
  const count = Math.min(numbers.length / width, MOST_ROWS);
  if (count === 0) return null;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`Rows of ${field.name}`}>
      <table>
        <thead>
          <tr>
            {field.columns.map((each) => (
              <th key={each.name} scope="col">
                {each.name}
                {each.unit !== "" && <span class="unit"> {each.unit}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: count }, (_, k) => (
            <tr key={k}>
              {numbers.slice(k * width, (k + 1) * width).map((each, column) => (
                <td key={column}>{each.toFixed(2)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RobotActions({ page, robot }: { page: Page; robot: string }): JSX.Element {
  const isMoving = useSignal(false);
  const isRemoving = useSignal(false);
  const mayDrive = page.drivable.value.includes(robot);
  const drives = page.driver.robot.value === robot;
  return (
    <div class="actions">
      <div class="button-row">
        <IconButton
          icon="eye"
          label={`Follow ${robot}`}
          text="Follow"
          pressed={page.followed.value === robot}
          onClick={() => (page.followed.value = robot)}
        />
        {mayDrive && (
          <IconButton
            icon="wheel"
            label={drives ? `Give back ${robot}` : `Take over ${robot}`}
            text={drives ? "Give Back" : "Take Over"}
            pressed={drives}
            onClick={() => (drives ? page.driver.giveBack() : void page.driver.takeOver(robot))}
          />
        )}
        {page.mayControl && (
          <>
            <button type="button" class="button" onClick={() => (isMoving.value = !isMoving.value)}>
              Move…
            </button>
            <button
              type="button"
              class="button is-danger"
              onClick={() => {
                if (isRemoving.value) void page.removeRobot(robot);
                else setTimeout(() => (isRemoving.value = false), 3000);
                isRemoving.value = !isRemoving.value;
              }}
            >
              {isRemoving.value ? `Really remove ${robot}?` : "Remove"}
            </button>
          </>
        )}
      </div>
      {isMoving.value && (
        <MoveForm page={page} robot={robot} onDone={() => (isMoving.value = false)} />
      )}
    </div>
  );
}

/** A place and a heading for a robot; by keys alone, where dragging in the picture is for mice. */
function MoveForm(props: { page: Page; robot: string; onDone: () => void }): JSX.Element {
  const { page, robot, onDone } = props;
  const { x, y, yaw } = poseOf(page.source, robot);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const number = (name: string): number => Number(form.get(name));
    void page
      .moveRobot(robot, number("x"), number("y"), (Math.PI / 180) * number("heading"))
      .then(onDone);
  };
  return (
    <form class="form is-row" onSubmit={submit}>
      <label>
        x [m]
        <input name="x" type="number" step="any" required value={x.toFixed(2)} />
      </label>
      <label>
        y [m]
        <input name="y" type="number" step="any" required value={y.toFixed(2)} />
      </label>
      <label>
        Heading [°]
        <input name="heading" type="number" step="any" required value={((180 / Math.PI) * yaw).toFixed(1)} />
      </label>
      <button type="submit" class="button is-primary">
        Move
      </button>
    </form>
  );
}
