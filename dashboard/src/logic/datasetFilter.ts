// The filters of a dataset: from the URL to the API, over GraphQL and as an export.

export interface DatasetSearch {
  order?: "OLDEST_FIRST" | "LEAST_CERTAIN_FIRST";
  labelled?: "yes" | "no";
  source?: "INFERENCE" | "IMPORT";
  version?: number;
  days?: number;
  key?: string;
  value?: string;
  truth?: string;
  agrees?: "yes" | "no";
  text?: string;
}

const flag = (value: "yes" | "no" | undefined) => (value === undefined ? undefined : value === "yes");

/** The start of a period of days, at an hour's precision, so that queries have one key for an hour. */
export function since(days: number | undefined, now = Date.now()): string | undefined {
  if (!days) return undefined;
  const hour = 3_600_000;
  return new Date(Math.floor(now / hour) * hour - days * 24 * hour).toISOString();
}

export function sampleFilter(search: DatasetSearch) {
  return { labelled: flag(search.labelled), source: search.source, version: search.version, since: since(search.days) };
}

/** The filter by one question; without a question its other members count for nothing. */
export function answerFilter(search: DatasetSearch) {
  if (!search.key || (!search.value && !search.truth && !search.agrees)) return undefined;
  return { key: search.key, value: search.value, groundTruth: search.truth, agrees: flag(search.agrees) };
}

export function isFiltered(search: DatasetSearch): boolean {
  return Boolean(
    search.text || search.labelled || search.source || search.version || search.days || answerFilter(search),
  );
}

/** The path of an export of the same samples. */
export function exportPath(judgeId: string, format: string, search: DatasetSearch): string {
  const filter = sampleFilter(search);
  const parameters = new URLSearchParams({ format });
  if (filter.labelled !== undefined) parameters.set("labelled", String(filter.labelled));
  if (filter.source) parameters.set("source", filter.source.toLowerCase());
  if (filter.version) parameters.set("version", String(filter.version));
  if (filter.since) parameters.set("since", filter.since);
  if (search.text) parameters.set("text", search.text);
  const answer = answerFilter(search);
  if (answer) {
    parameters.set("key", answer.key);
    if (answer.value) parameters.set("value", answer.value);
    if (answer.groundTruth) parameters.set("ground_truth", answer.groundTruth);
    if (answer.agrees !== undefined) parameters.set("agrees", String(answer.agrees));
  }
  return `/api/v1/judges/${judgeId}/dataset?${parameters}`;
}
