// GraphQL Code Generator over ../../../schema.graphql and operations.graphql: writes the types, and a typed document
// for each operation, to generated/gavel.ts.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { codegen } from "@graphql-codegen/core";
import * as typedDocumentNode from "@graphql-codegen/typed-document-node";
import * as typescriptOperations from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";

const read = (path) => parse(readFileSync(new URL(path, import.meta.url), "utf8"));

const generated = await codegen({
    filename: "generated/gavel.ts",
    schema: read("../../../schema.graphql"),
    documents: [{ location: "operations.graphql", document: read("operations.graphql") }],
    config: {
        enumsAsTypes: true,
        strictScalars: true,
        useTypeImports: true,
        scalars: { DateTime: "string", JSON: "unknown", Date: "string" },
    },
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
});
mkdirSync(new URL("generated", import.meta.url), { recursive: true });
writeFileSync(new URL("generated/gavel.ts", import.meta.url), generated);
