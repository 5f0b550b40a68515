/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { compression, defineAlgorithm } from "vite-plugin-compression2";

// Where the development server finds Gavel.
const server = process.env.GAVEL_URL ?? "http://127.0.0.1:8080";
const paths = ["/api", "/v1", "/graphql", "/docs", "/help", "/openapi.json", "/livez", "/readyz"];
const source = fileURLToPath(new URL("./src", import.meta.url));

export default defineConfig({
  plugins: [
    react(),
    // The server sends these as they are, and decodes them for who takes neither.
    compression({
      algorithms: [defineAlgorithm("gzip", { level: 9 }), defineAlgorithm("brotliCompress")],
      threshold: 1024,
      deleteOriginalAssets: true,
    }),
  ],
  resolve: {
    alias: [
      { find: /^@\/gql$/, replacement: `${source}/api/operations.ts` },
      { find: "@", replacement: source },
    ],
  },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // GraphiQL's editor is one large file. What the dashboard loads first has a bound in its browser tests.
    chunkSizeWarningLimit: 3000,
    rolldownOptions: {
      // Two pages: the dashboard at /, and GraphiQL, which the server sends to browsers at /graphql.
      input: ["index.html", "graphiql.html"],
      output: {
        codeSplitting: {
          // Few files, since many small ones take more round trips.
          groups: [
            // What GraphiQL loads too.
            { name: "react", test: /preload-helper|node_modules\/(react(-dom)?|clsx)\// },
            // What every page loads first.
            {
              name: "common",
              test: /node_modules\/@(mantine|tanstack|tabler)\/|\/src\//,
              tags: ["$initial"],
              minShareCount: 2,
            },
            // What many pages load after signing in.
            {
              name: "widgets",
              test: /node_modules\/@mantine\/|\/src\//,
              minShareCount: 10,
              includeDependenciesRecursively: false,
            },
            { name: "icons", test: /node_modules\/@tabler\//, minShareCount: 2 },
          ],
        },
      },
      // Directives to a compiler of React, which GraphiQL's packages have been through.
      onLog: (level, log, report) => log.code !== "MODULE_LEVEL_DIRECTIVE" && report(level, log),
    },
  },
  worker: { format: "es" },
  server: {
    proxy: Object.fromEntries(paths.map((path) => [path, { target: server, ws: true }])),
  },
  test: { include: ["src/**/*.test.ts"] },
});
