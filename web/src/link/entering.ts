/** How a page comes in: a link with a key that is good once, or a token of the server. */

export type Role = "view" | "drive" | "control";

/** What the gateway has let this page do. */
export interface Entry {
  token: string;
  role: Role;
  /** The robots that a role `drive` is for. */
  robots: string[];
}

/** The gateway does not let the page in; the message says why. */
export class EntryError extends Error {
  override readonly name = "EntryError";
}

const STORED = "autosim.entry";

/** Enters with what the address carries, or again with what this tab had before. */
export async function enter(): Promise<Entry> {
  const given = new URLSearchParams(location.hash.slice(1));
  const key = given.get("key");
  const token = given.get("token");
  if (key === null && token === null) {
    const stored = storedEntry();
    if (stored !== null) return stored;
    throw new EntryError("This page is opened by a link that the server prints.");
  }
  // The secret stays neither in the address bar nor in the history.
  history.replaceState(null, "", location.pathname + location.search);
  const entry = await ask(key !== null ? { key } : { token: token as string });
  sessionStorage.setItem(STORED, JSON.stringify(entry));
  return entry;
}

/** Enters with a token that the user has typed. */
export async function enterWith(token: string): Promise<Entry> {
  const entry = await ask({ token });
  sessionStorage.setItem(STORED, JSON.stringify(entry));
  return entry;
}

/** Forgets how this tab came in. */
export function leave(): void {
  sessionStorage.removeItem(STORED);
}

function storedEntry(): Entry | null {
  const stored = sessionStorage.getItem(STORED);
  return stored === null ? null : (JSON.parse(stored) as Entry);
}

async function ask(secret: { key: string } | { token: string }): Promise<Entry> {
  let answer: Response;
  try {
    answer = await fetch(new URL("api/enter", document.baseURI), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(secret),
      credentials: "omit",
    });
  } catch {
    throw new EntryError("The server does not answer.");
  }
  if (!answer.ok) {
    const text = (await answer.text()).trim();
    throw new EntryError(text === "" ? `The server refuses this link (${answer.status}).` : text);
  }
  const { token, role, robots } = (await answer.json()) as Partial<Entry>;
  if (typeof token !== "string") throw new EntryError("The server's answer has no token.");
  return { token, role: role ?? "view", robots: robots ?? [] };
}
