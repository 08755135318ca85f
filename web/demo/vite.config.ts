import { defineConfig } from "vite";

/** Builds the scene alone, for looking at and measuring; not a part of the page. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  build: {
    outDir: process.env.SCENE_DEMO ?? "../../build/scene_demo",
    emptyOutDir: false,
    target: "es2022",
    rollupOptions: { input: `${import.meta.dirname}/scene_demo.html` },
    chunkSizeWarningLimit: 1500,
  },
});
