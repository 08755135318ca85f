import { defineConfig } from "vitest/config";

/** Tests of the built page in a real browser: against a server, which `AUTOSIM_LINK` opens, and of the recording `AUTOSIM_RECORDING`. */
export default defineConfig({
  test: {
    include: ["end_to_end/*.test.ts"],
    environment: "node",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    bail: 1,
  },
});
