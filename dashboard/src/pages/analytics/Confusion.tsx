// Which ground truth got which answer.
import { Card, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useJudge } from "@/pages/judge/query";
import { analytics as t } from "@/texts/analytics";
import type { KeyStats } from "./Analytics";

interface Props {
  stats: { key: string; agreement: Pick<KeyStats["agreement"], "confusion"> };
  label: (value: string | null | undefined) => string;
}

export function Confusion({ stats, label }: Props) {
  const judge = useJudge();
  return (
    <Card>
      <Title order={2}>{t.confusion}</Title>
      <Text size="xs" c="dimmed" mb="md">{t.confusionNote}</Text>
      <Matrix
        cells={stats.agreement.confusion}
        label={label}
        link={(truth, answered) => (answered == null ? undefined : { to: "/judges/$judgeId/dataset", params: { judgeId: judge.id }, search: { key: stats.key, truth, value: answered } })}
      />
    </Card>
  );
}

interface MatrixProps {
  cells: { truth: string; answered?: string | null; count: number }[];
  label: (value: string | null | undefined) => string;
  link?: (truth: string, answered: string | null) => object | undefined;
}

/** More values than these are too many to read. */
const MAX_VALUES = 12;

export function Matrix({ cells, label, link }: MatrixProps) {
  const truths = [...new Set(cells.map((cell) => cell.truth))].sort().slice(0, MAX_VALUES);
  const answered = [...new Set([...truths, ...cells.map((cell) => cell.answered ?? null)])].filter((value) => truths.includes(value ?? "") || cells.some((cell) => (cell.answered ?? null) === value)).slice(0, MAX_VALUES + 1);
  const totals = new Map(truths.map((truth) => [truth, cells.filter((cell) => cell.truth === truth).reduce((sum, cell) => sum + cell.count, 0)]));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={t.confusion}>
      <table className="confusion">
        <thead>
          <tr>
            <th scope="col"><span className="only-spoken">{t.confusionNote}</span></th>
            {answered.map((value) => (
              <th scope="col" key={value ?? "-"} title={label(value)}>{label(value)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {truths.map((truth) => (
            <tr key={truth}>
              <th scope="row" title={label(truth)}>{label(truth)}</th>
              {answered.map((value) => {
                const number = cells.find((cell) => cell.truth === truth && (cell.answered ?? null) === value)?.count ?? 0;
                const share = number / (totals.get(truth) || 1);
                const color = value === truth ? "var(--mantine-color-pine-6)" : "var(--mantine-color-red-6)";
                const target = number > 0 ? link?.(truth, value) : undefined;
                const spoken = t.cell(label(truth), label(value), number);
                return (
                  <td key={value ?? "-"} style={{ background: number ? `color-mix(in srgb, ${color} ${Math.round(8 + share * 34)}%, var(--surface))` : "color-mix(in srgb, var(--quiet) 7%, var(--surface))" }}>
                    {target ? (
                      <Link {...(target as { to: "/judges" })} className="row-link" title={spoken} aria-label={spoken}>{number}</Link>
                    ) : (
                      <span className={number ? undefined : "quiet"} title={spoken}>{number}</span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
