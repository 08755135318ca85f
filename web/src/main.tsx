import { render } from "preact";

import { enter, EntryError, leave, type Entry } from "./link/entering";
import { networkLink } from "./link/network_link";
import { App } from "./panels/app";
import { Door } from "./panels/door";
import { Page } from "./state/page";
import "./state/appearance";
import "./styles/page.css";

// The picture is a part of its own: panels do not wait for it, and it comes while the page enters.
void import("./scene/scene_view").catch(() => undefined);

const root = document.getElementById("page") as HTMLElement;
let page: Page | null = null;

function open(entry: Entry): void {
  page = new Page(networkLink(entry), (reason) => {
    leave();
    page?.close();
    close(reason === "" ? "The server no longer accepts this page's token." : reason);
  });
  render(<App page={page} />, root);
}

function close(reason: string): void {
  render(<Door key={reason} reason={reason} onEnter={open} />, root);
}

enter()
  .then(open)
  .catch((error: unknown) => close(error instanceof EntryError ? error.message : String(error)));
