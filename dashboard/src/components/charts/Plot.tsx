// Columns over named places, with an axis of values: what all charts here are made of. Plain HTML and CSS, so that it
// fits any width without being measured.
import { type CSSProperties, type ReactNode, useState } from "react";

export interface Column {
  id: string;
  /** What stands below it. */
  label: string;
  /** From the bottom to the top. */
  parts: { name: string; value: number; color: string }[];
  /** How many are counted, which stands above the field. */
  above?: string;
  /** Where the value probably lies. */
  interval?: { low: number; high: number };
  /** What the hint says besides. */
  note?: string;
}

interface Props {
  columns: Column[];
  /** The value at the top. */
  top: number;
  height: number;
  format: (value: number) => string;
  /** What the colours mean; left out where there is only one. */
  legend?: { name: string; color: string; line?: boolean }[];
  /** What lies over the columns. */
  children?: ReactNode;
}

const TICKS = [1, 0.75, 0.5, 0.25, 0];

export function Plot({ columns, top, height, format, legend, children }: Props) {
  const [hovered, setHovered] = useState<number>();
  const column = hovered === undefined ? undefined : columns[hovered];
  const labelled = Math.max(1, Math.ceil(columns.length / 6));
  const counted = columns.some(({ above }) => above !== undefined);
  return (
    <div className="plot" onPointerLeave={() => setHovered(undefined)}>
      {counted && (
        <div className="plot-counts numeric">
          {columns.map(({ id, above }) => (
            <span key={id}>{above}</span>
          ))}
        </div>
      )}
      <div className="plot-field" style={{ height }}>
        {TICKS.map((tick) => (
          <div key={tick} className="plot-tick" style={{ bottom: `${tick * 100}%` }}>
            <span className="numeric">{format(tick * top)}</span>
          </div>
        ))}
        <div className="plot-columns">
          {columns.map(({ id, parts, interval }, index) => (
            <div
              key={id}
              className="plot-column"
              data-hovered={index === hovered || undefined}
              onPointerEnter={() => setHovered(index)}
            >
              {parts.map(
                (part) =>
                  part.value > 0 && (
                    <span key={part.name} style={{ height: `${(part.value / top) * 100}%`, background: part.color }} />
                  ),
              )}
              {interval && (
                <i
                  className="plot-interval"
                  style={{
                    bottom: `${(interval.low / top) * 100}%`,
                    height: `${((interval.high - interval.low) / top) * 100}%`,
                  }}
                />
              )}
            </div>
          ))}
          {children}
        </div>
        {column && hovered !== undefined && (
          <div className="plot-hint" style={besides((hovered + 0.5) / columns.length)}>
            <b>{column.label}</b>
            {column.parts.toReversed().map((part) => (
              <span key={part.name}>
                <i style={{ background: part.color }} />
                {part.name}
                <em className="numeric">{format(part.value)}</em>
              </span>
            ))}
            {column.note && <span className="quiet">{column.note}</span>}
          </div>
        )}
      </div>
      <div className="plot-labels">
        {columns.map(({ id, label }, index) => (
          <span key={id}>{(columns.length - 1 - index) % labelled === 0 && <span>{label}</span>}</span>
        ))}
      </div>
      {legend && (
        <div className="plot-legend">
          {legend.map(({ name, color, line }) => (
            <span key={name}>
              <i data-line={line || undefined} style={line ? { borderColor: color } : { background: color }} />
              {name}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** On the side of a column where there is more room. */
function besides(place: number): CSSProperties {
  return place < 0.5
    ? { left: `calc(52px + (100% - 52px) * ${place} + 14px)` }
    : { right: `calc((100% - 52px) * ${1 - place} + 14px)` };
}
