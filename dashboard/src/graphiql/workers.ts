// The editors' workers, as files of our own host. Vite has to see each of them here, not in a package.
import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JsonWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphqlWorker from "monaco-graphql/esm/graphql.worker.js?worker";

const getWorker = (_id: string, label: string) => {
  if (label === "graphql") return new GraphqlWorker();
  return label === "json" ? new JsonWorker() : new EditorWorker();
};
Object.assign(window, { MonacoEnvironment: { getWorker } });
