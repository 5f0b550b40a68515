// A confusion matrix: which ground truth got which answer.
import type { ReactNode } from "react";
import { analytics as t } from "@/texts/analytics";

interface Props {
  cells: { truth: string; answered?: string | null; count: number }[];
  label: (value: string | null | undefined) => string;
  /** The way to the samples of a cell, in place of their bare number. */
  link?: (truth: string, answered: string, number: number, spoken: string) => ReactNode;
}

/** More values than these are too many to read. */
const MAX_VALUES = 12;

export function Matrix({ cells, label, link }: Props) {
  const truths = [...new Set(cells.map((cell) => cell.truth))].sort().slice(0, MAX_VALUES);
  const answered = [...new Set([...truths, ...cells.map((cell) => cell.answered ?? null)])]
    .filter((value) => truths.includes(value ?? "") || cells.some((cell) => (cell.answered ?? null) === value))
    .slice(0, MAX_VALUES + 1);
  const totals = new Map(
    truths.map((truth) => [
      truth,
      cells.filter((cell) => cell.truth === truth).reduce((sum, cell) => sum + cell.count, 0),
    ]),
  );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={t.confusion}>
      <table className="confusion">
        <thead>
          <tr>
            <th scope="col">
              <span className="only-spoken">{t.confusionNote}</span>
            </th>
            {answered.map((value) => (
              <th scope="col" key={value ?? "-"} title={label(value)}>
                {label(value)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {truths.map((truth) => (
            <tr key={truth}>
              <th scope="row" title={label(truth)}>
                {label(truth)}
              </th>
              {answered.map((value) => {
                const number =
                  cells.find((cell) => cell.truth === truth && (cell.answered ?? null) === value)?.count ?? 0;
                const share = number / (totals.get(truth) || 1);
                const color = value === truth ? "var(--mantine-color-pine-6)" : "var(--mantine-color-red-6)";
                const spoken = t.cell(label(truth), label(value), number);
                return (
                  <td
                    key={value ?? "-"}
                    style={{
                      background: number
                        ? `color-mix(in srgb, ${color} ${Math.round(8 + share * 34)}%, var(--surface))`
                        : "color-mix(in srgb, var(--quiet) 7%, var(--surface))",
                    }}
                  >
                    {link && number > 0 && value !== null ? (
                      link(truth, value, number, spoken)
                    ) : (
                      <span className={number ? undefined : "quiet"} title={spoken}>
                        {number}
                      </span>
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
