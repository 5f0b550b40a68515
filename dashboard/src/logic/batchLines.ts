// The lines of a bulk batch, looked at before they are sent.

export interface BatchLines {
  texts: number;
  inferences: number;
  /** The first line that is no JSON object, counted from 1. */
  fault?: number;
}

export function readLines(data: string): BatchLines {
  const lines: BatchLines = { texts: 0, inferences: 0 };
  data.split("\n").forEach((line, index) => {
    if (line.trim() === "" || lines.fault) return;
    try {
      const item: unknown = JSON.parse(line);
      if (typeof item !== "object" || item === null || Array.isArray(item)) throw new Error("no object");
      if ((item as { url?: unknown }).url === "/api/v1/moderate/text") lines.texts += 1;
      else lines.inferences += 1;
    } catch {
      lines.fault = index + 1;
    }
  });
  return lines;
}
