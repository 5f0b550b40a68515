// Figures by day, stacked by series.
import { seriesColor } from "@/logic/colors";
import { compact } from "@/logic/format";
import { type ChartRow, niceTop } from "@/logic/series";
import { Plot } from "./Plot";

const shortDay = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

interface Props {
  rows: ChartRow[];
  names: string[];
  /** The colour of what has one of its own everywhere. */
  colorOf?: (name: string) => string | undefined;
}

export function StackedBars({ rows, names, colorOf }: Props) {
  const series = names.map((name, index) => ({ name, color: colorOf?.(name) ?? seriesColor(index) }));
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
