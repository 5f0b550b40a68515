import { defineConfig } from "vitest/config";

export default defineConfig({
    test: { globalSetup: "tests/gavel.ts", include: ["tests/*.test.ts"], testTimeout: 20_000 },
});
