// Texts of GraphiQL's page. GraphiQL itself brings its own.
export const graphiql = {
  home: "Gavel",
  query: `# You ask as whoever is signed in to the dashboard.
# To ask as an API key, write under Headers:
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
