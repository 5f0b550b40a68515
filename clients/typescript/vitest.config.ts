import { defineConfig } from "vitest/config";

export default defineConfig({
    test: { globalSetup: "tests/gavel.ts", include: ["tests/*.test.ts"], testTimeout: 60_000, hookTimeout: 90_000 },
});
