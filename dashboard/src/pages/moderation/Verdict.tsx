// What a verdict says, in small: the threat, and the harms.
import { Group } from "@mantine/core";
import { percent, words } from "@/logic/format";
import { type Harm, isHarm } from "@/logic/verdict";
import { queue } from "@/texts/moderation";

const t = queue.row;
/** The threat score that fills the meter: a ban begins at 3. */
const FULL = 4;
const COLORS = ["gray-5", "yellow-6", "orange-6", "red-6"];

export function ThreatMeter({ score }: { score: number }) {
  const color = COLORS[Math.min(Math.floor(score), 3)] ?? "gray-5";
  return (
    <Group gap={6} wrap="nowrap" title={t.threatOf(score.toFixed(2))}>
      <div
        className="meter threat-meter"
        role="meter"
        aria-label={t.threat}
        aria-valuenow={Math.min(score, FULL)}
        aria-valuetext={score.toFixed(2)}
        aria-valuemin={0}
        aria-valuemax={FULL}
      >
        <span
          style={{
            width: `${Math.min(score / FULL, 1) * 100}%`,
            ["--meter" as string]: `var(--mantine-color-${color})`,
          }}
        />
      </div>
      <span className="numeric">{score.toFixed(2)}</span>
    </Group>
  );
}

/** The harms that a message has, by the verdict or by a moderator. */
export function HarmChips({ harms }: { harms: Harm[] }) {
  const present = harms.filter(isHarm);
  if (!present.length) return null;
  return (
    <Group gap={4}>
      {present.map((harm) => (
        <span key={harm.category} className="harm" data-category={harm.category}>
          {words(harm.category)} {harm.truth === undefined && <b className="numeric">{percent(harm.probability, 0)}</b>}
        </span>
      ))}
    </Group>
  );
}
