// One colour for each action and each endpoint, wherever it is shown.

/** Names of the theme's colours. */
const ACTIONS: Record<string, string> = { none: "gray", warn: "yellow", timeout: "orange", ban: "red" };

/** The colour of an action, or `undefined` for what is none. */
export const actionColor = (action: string): string | undefined => ACTIONS[action];

const ENDPOINTS: Record<string, string> = {
  "/api/v1/moderate/text": "pine-6",
  "/api/v1/moderate/text/batch": "pine-3",
  "/v1/moderations": "cyan-5",
  "/api/v1/moderate/image": "yellow-5",
  "/api/v1/inference": "indigo-5",
  "/v1/decisions": "indigo-3",
  "/api/v1/batches": "grape-4",
  dryRunModerationPolicy: "orange-6",
  checkpoint: "red-6",
  evaluation: "cyan-8",
};

/** Colours of what has none of its own, told apart by lightness too. */
const SERIES = ["pine-6", "yellow-5", "indigo-5", "grape-4", "cyan-5", "orange-6", "gray-5"];

const css = (name: string) => `var(--mantine-color-${name})`;

/** The colour of an endpoint. */
export const endpointColor = (endpoint: string): string => css(ENDPOINTS[endpoint] ?? "gray-5");

/** The colour of an action in a chart. */
export function actionChartColor(action: string): string | undefined {
  const name = actionColor(action);
  return name && css(`${name}-${name === "gray" ? 5 : 6}`);
}

/** The colour of the series at a place. */
export const seriesColor = (index: number): string => css(SERIES[index % SERIES.length] ?? "gray-5");
