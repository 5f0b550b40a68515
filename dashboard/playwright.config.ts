// Browser tests, against the real binary on SQLite. `npm run browser` needs the dashboard and Gavel built.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  // Each worker has a server of its own, and takes whole files.
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    trace: "retain-on-failure",
    launchOptions: { executablePath: process.env.GAVEL_TEST_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
  },
});
