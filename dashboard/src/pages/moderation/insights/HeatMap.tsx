// When messages are acted upon: each hour of the week.
import { Card, Text, Title } from "@mantine/core";
import { count } from "@/logic/format";
import { insights } from "@/texts/moderation";
import type { InsightsData } from "./Insights";

const t = insights.hours;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export function HeatMap({ hours }: { hours: InsightsData["hours"] }) {
  const cells = new Map(hours.map((cell) => [`${cell.weekday} ${cell.hour}`, cell]));
  const most = Math.max(1, ...hours.map((cell) => cell.actedUpon));
  return (
    <Card>
      <Title order={2}>{t.title}</Title>
      <Text size="xs" c="dimmed" mb="sm">
        {t.note}
      </Text>
      {/* It scrolls, so it must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={t.title}>
        <table className="heat">
          <thead>
            <tr>
              <th scope="col">
                <span className="only-spoken">{t.weekday}</span>
              </th>
              {HOURS.map((hour) => (
                <th key={hour} scope="col">
                  {hour % 3 === 0 ? hour : <span className="only-spoken">{hour}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {t.weekdays.map((day, weekday) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {HOURS.map((hour) => {
                  const { actedUpon = 0, messages = 0 } = cells.get(`${weekday} ${hour}`) ?? {};
                  const said = messages ? t.cell(day, hour, count(actedUpon), count(messages)) : t.none;
                  return (
                    <td key={hour} title={said} style={{ background: shade(actedUpon / most, messages > 0) }}>
                      <span className="only-spoken">{said}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function shade(share: number, any: boolean): string {
  if (share > 0)
    return `color-mix(in srgb, var(--mantine-color-red-6) ${Math.round(15 + share * 80)}%, var(--surface))`;
  return `color-mix(in srgb, var(--quiet) ${any ? 16 : 6}%, var(--surface))`;
}
