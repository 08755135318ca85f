/** A link to a server. */

import type { Entry } from "./entering";
import { NetworkSource } from "./network_source";
import type { PageLink } from "./page_link";
import { actuatorSetter, connectSimulator } from "./simulator";

export function networkLink(entry: Entry): PageLink {
  const client = connectSimulator(entry.token);
  return {
    entry,
    client,
    setActuator: actuatorSetter(entry.token),
    openSource: (changed) => new NetworkSource(entry, client, changed),
    startParticipation: () =>
      new Worker(new URL("../driving/participation_worker.ts", import.meta.url), {
        type: "module",
      }),
  };
}
