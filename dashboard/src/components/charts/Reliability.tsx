// A reliability diagram: how often answers were right, by how certain they were, of how many, and how sure that is.
import { count, intervalText, percent } from "@/logic/format";
import { wilson } from "@/logic/interval";
import { analytics as t } from "@/texts/analytics";
import { Plot } from "./Plot";

interface Bin {
  from: number;
  to: number;
  accuracy?: number | null;
  count: number;
}

const OBSERVED = "var(--mantine-color-pine-6)";
const IDEAL = "var(--quiet)";

export function Reliability({ bins }: { bins: Bin[] }) {
  const columns = bins.map((bin) => {
    const interval = bin.accuracy == null ? undefined : wilson(bin.accuracy * bin.count, bin.count);
    return {
      id: String(bin.from),
      label: `${Math.round(bin.from * 100)}–${Math.round(bin.to * 100)}%`,
      parts: bin.accuracy == null ? [] : [{ name: t.observedOf(bin.count), value: bin.accuracy, color: OBSERVED }],
      note: interval && t.interval(intervalText(interval)),
      interval,
      above: bin.count > 0 ? count(bin.count) : undefined,
    };
  });
  return (
    <Plot
      columns={columns}
      top={1}
      height={210}
      format={(value) => percent(value, 0)}
      legend={[
        { name: t.observed, color: OBSERVED },
        { name: t.ideal, color: IDEAL, line: true },
      ]}
    >
      <svg className="plot-line" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
        <line x1="0" y1="100" x2="100" y2="0" stroke={IDEAL} strokeDasharray="4 4" vectorEffect="non-scaling-stroke" />
      </svg>
    </Plot>
  );
}
