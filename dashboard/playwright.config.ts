// Browser tests, against the real binary on SQLite. `npm run browser` needs the dashboard and Gavel built.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  // Two tests train a Checkpoint, in threads of the lowest priority: beside another browser they take minutes.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    trace: "retain-on-failure",
    launchOptions: { executablePath: process.env.GAVEL_TEST_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
  },
});
