import { defineConfig } from "vite";

/** Builds the page of one-file recordings: one script and one style sheet, with all in them. */
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "build",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: "src/recording/main.tsx",
      output: {
        inlineDynamicImports: true,
        entryFileNames: "recording.js",
        assetFileNames: "recording[extname]",
      },
    },
    chunkSizeWarningLimit: 2500,
  },
});
