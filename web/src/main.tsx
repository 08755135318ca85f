import { render } from "preact";

const root = document.getElementById("page");
if (root !== null) {
  render(<main>AutoSim</main>, root);
}
