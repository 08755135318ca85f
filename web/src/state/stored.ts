/** What a browser remembers for the page: nothing where it does not let the page remember. */

/** The text that was kept under `key`; null where there is none. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a frame without an origin of its own, or a user who allows no storage
  }
}

/** Keeps a text under `key`, if that is possible. */
export function writeStored(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The page works without.
  }
}
