// Texts of GraphiQL's page. GraphiQL itself brings its own.
export const graphiql = {
  home: "Gavel",
  query: `# Queries run as the person signed in to the dashboard.
# To use an API key instead, add it under Headers:
# { "authorization": "Bearer svc_live_…" }
#
# Mutations change real data; some cost credits.

query Account {
  viewer {
    role
    user { email }
  }
  account {
    name
    available
    judges(first: 5) {
      nodes { id name }
    }
  }
}
`,
};
