// Types and documents of the GraphQL operations in src, from the schema that the server's tests keep current.
import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "../schema.graphql",
  documents: ["src/**/*.{ts,tsx}", "!src/gql/**"],
  silent: true,
  generates: {
    "./src/gql/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: "string",
        enumType: "string-literal",
        useTypeImports: true,
        defaultScalarType: "unknown",
        scalars: { DateTime: "string", Date: "string", NaiveDate: "string", JSON: "unknown", ID: "string" },
      },
    },
  },
};

export default config;
