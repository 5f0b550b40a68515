// A table that scrolls within its card, and on a phone becomes a list of cards: each cell then has its column's name.
import { Table } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";

/** A column by its name, or a name with how it is shown. */
export type Column =
  | string
  | {
      name: string;
      /** Figures stand at the right. */
      right?: boolean;
      /** What stands in the head in place of the name. */
      head?: ReactNode;
      /** A term that the glossary explains stands beside the name. */
      help?: ReactNode;
      /** The least width. */
      width?: number | string;
    };

interface Props {
  /** What the table holds, for screen readers. */
  label: string;
  columns: Column[];
  minWidth?: number;
  style?: CSSProperties;
  /** The rows. */
  children: ReactNode;
}

const described = (column: Column) => (typeof column === "string" ? { name: column } : column);

export function DataTable({ label, columns, minWidth = 640, style, children }: Props) {
  const all = columns.map(described);
  const names = Object.fromEntries(all.map(({ name }, index) => [`--column-${index + 1}`, JSON.stringify(name)]));
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      className="table-scroll"
      type="native"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Table aria-label={label} className="data-table" style={{ ...names, ...style }}>
        <Table.Thead>
          <Table.Tr>
            {all.map(({ name, right, head, help, width }, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Table.Th key={index} ta={right ? "right" : undefined} w={width}>
                {head ?? name}
                {help}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
