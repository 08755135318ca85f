import { defineConfig } from "vitest/config";

/** Where the built page goes: into the Python package, whose gateway serves it. */
const PAGE = "../autosim/web/page";

export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: PAGE,
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    // The content security policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        manualChunks: (id) => (id.includes("node_modules/three") ? "three" : undefined),
      },
    },
    chunkSizeWarningLimit: 1500,
  },
  worker: { format: "es" },
  server: { port: 5173, proxy: { "^/(api|autosim.v1|world|models)": "http://127.0.0.1:2080" } },
  test: { include: ["tests/**/*.test.{ts,tsx}"], environment: "happy-dom" },
});
