// Figures by day, stacked by series.
import { compact } from "@/logic/format";
import { type ChartRow, niceTop } from "@/logic/series";
import { Plot } from "./Plot";

/** Colours of series, told apart by lightness too. */
const COLORS = ["pine-6", "yellow-5", "indigo-5", "grape-4", "cyan-5", "orange-6", "gray-5"].map(
  (name) => `var(--mantine-color-${name})`,
);
const shortDay = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

interface Props {
  rows: ChartRow[];
  names: string[];
  /** Colours of series that have their own. */
  colors?: Record<string, string>;
}

export function StackedBars({ rows, names, colors }: Props) {
  const series = names.map((name, index) => ({ name, color: colors?.[name] ?? COLORS[index % COLORS.length] ?? "" }));
  const columns = rows.map((row) => ({
    id: row.day,
    label: shortDay.format(new Date(row.day)),
    parts: series.map((one) => ({ ...one, value: Number(row[one.name] ?? 0) })),
  }));
  const highest = Math.max(...columns.map((column) => column.parts.reduce((sum, part) => sum + part.value, 0)));
  return (
    <Plot
      columns={columns}
      top={niceTop(highest)}
      height={170}
      format={compact}
      legend={series.length > 1 ? series : undefined}
    />
  );
}
