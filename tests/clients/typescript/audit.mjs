// The audit of the specification of GraphQL over HTTP, as npm `graphql-http` has it, against the server at GAVEL_URL.
// Prints one JSON object: how many checks there are of each level, and those that were not passed.

import { readFileSync } from "node:fs";
import { auditServer } from "graphql-http";

const results = await auditServer({ url: `${process.env.GAVEL_URL}/graphql` });
const checks = {};
for (const { name } of results) {
    const level = name.split(" ", 1)[0];
    checks[level] = (checks[level] ?? 0) + 1;
}
const failed = results.filter(({ status }) => status !== "ok").map(({ id, name, reason }) => ({ id, name, reason }));
const { version } = JSON.parse(readFileSync("node_modules/graphql-http/package.json", "utf8"));
console.log(JSON.stringify({ client: `"graphql-http": "${version}"`, checks, failed }));
