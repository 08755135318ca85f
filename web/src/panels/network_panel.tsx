/** Network: who is connected, what each client takes, and whether it keeps up. */

import type { JSX } from "preact";

import type { Page } from "../state/page";
import { Empty } from "./parts";

const TITLES = [
  ["Client", "The name that the client gives itself"],
  ["From", "Its address"],
  ["Asks for", "States per simulated second that it asked for"],
  ["Skipped", "States that it missed because it was too slow"],
  ["Delay", "How long the newest state waited for the client or the network to take it"],
] as const;

export function NetworkPanel({ page }: { page: Page }): JSX.Element {
  const clients = page.clients.value;
  if (clients.length === 0) return <Empty>No client is connected.</Empty>;
  return (
    <section class="panel network" aria-label="Network">
      <div class="scroll" tabIndex={0} role="region" aria-label="Connected clients">
        <table>
          <thead>
            <tr>
              {TITLES.map(([title, tip]) => (
                <th key={title} scope="col" title={tip}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {clients.map((each) => (
              <tr key={each.peer}>
                <th scope="row">{each.name === "" ? "(no name)" : each.name}</th>
                <td>{peerText(each.peer)}</td>
                <td class="number">{each.rateHz > 0 ? `${each.rateHz} Hz` : "every step"}</td>
                <td class="number">{String(each.skipped)}</td>
                <td class="number">{each.delayMs.toFixed(1)} ms</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** gRPC's name of a peer, without the protocol's. */
function peerText(peer: string): string {
  return peer.replace(/^ipv[46]:/, "").replace("%5B", "[").replace("%5D", "]");
}
