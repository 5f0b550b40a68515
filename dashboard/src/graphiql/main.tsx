// GraphiQL, which browsers get at /graphql. It sends queries as the person signed in to the dashboard, or with the API
// key in its headers.
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "graphiql/graphiql.css";
import "./graphiql.css";
import "./workers";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";
import { graphiql as t } from "@/texts/graphiql";

const socket = new URL("/graphql/ws", window.location.href);
socket.protocol = socket.protocol === "https:" ? "wss:" : "ws:";

const fetcher = createGraphiQLFetcher({
  url: "/graphql",
  subscriptionUrl: socket.href,
  headers: { "X-Gavel-CSRF": "1" },
});

/** The colour scheme that was chosen in the dashboard; the system's otherwise. */
function chosenTheme() {
  const chosen = window.localStorage.getItem("mantine-color-scheme-value");
  return chosen === "light" || chosen === "dark" ? chosen : null;
}

const root = document.getElementById("graphiql");
if (root) {
  // What is typed is kept until the tab is closed, and headers, which may hold a key, not even until the page is loaded
  // again.
  createRoot(root).render(
    <GraphiQL
      fetcher={fetcher}
      storage={window.sessionStorage}
      defaultTheme={chosenTheme()}
      defaultQuery={t.query}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>
        <a className="home" href="/">
          {t.home}
        </a>
      </GraphiQL.Logo>
    </GraphiQL>,
  );
}
