// A reliability diagram: how often answers were right, by how certain they were.
import "@mantine/charts/styles.css";
import { CompositeChart } from "@mantine/charts";
import { percent } from "@/logic/format";
import { analytics as t } from "@/texts/analytics";

interface Bin {
  from: number;
  to: number;
  count: number;
  confidence?: number | null;
  accuracy?: number | null;
}

export default function Reliability({ bins }: { bins: Bin[] }) {
  const rows = bins.map((bin) => ({
    bin: `${Math.round(bin.from * 100)}–${Math.round(bin.to * 100)}%`,
    [t.observed]: bin.accuracy ?? null,
    [t.ideal]: (bin.from + bin.to) / 2,
  }));
  return (
    <CompositeChart
      h={260}
      data={rows}
      dataKey="bin"
      series={[
        { name: t.observed, color: "pine.6", type: "bar" },
        { name: t.ideal, color: "gray.5", type: "line" },
      ]}
      lineProps={{ strokeDasharray: "4 4", isAnimationActive: false } as never}
      barProps={{ radius: 2, isAnimationActive: false } as never}
      valueFormatter={(value) => percent(value, 0)}
      withDots={false}
      withLegend
      legendProps={{ verticalAlign: "bottom", height: 30 }}
      tickLine="none"
      yAxisProps={{ domain: [0, 1], width: 44 }}
      xAxisProps={{ minTickGap: 8 }}
      maxBarWidth={30}
    />
  );
}
