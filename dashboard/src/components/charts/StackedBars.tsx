// Figures by day, stacked by series.
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { ChartRow } from "@/logic/series";
import { compact } from "@/logic/format";
import { series as colors } from "@/theme";

const shortDay = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

export default function StackedBars({ rows, names, unit }: { rows: ChartRow[]; names: string[]; unit: string }) {
  return (
    <BarChart
      h={210}
      data={rows.map((row) => ({ ...row, day: shortDay.format(new Date(row.day)) }))}
      dataKey="day"
      type="stacked"
      series={names.map((name, index) => ({ name, color: colors[index % colors.length] ?? "gray.5" }))}
      valueFormatter={(value) => `${compact(value)}${unit}`}
      gridAxis="x"
      tickLine="none"
      withLegend={names.length > 1}
      legendProps={{ verticalAlign: "bottom", height: names.length > 4 ? 52 : 32 }}
      maxBarWidth={26}
      barProps={{ radius: 2, isAnimationActive: false }}
      xAxisProps={{ minTickGap: 24 }}
      yAxisProps={{ width: 44 }}
    />
  );
}
