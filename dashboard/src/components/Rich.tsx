// A text of the dashboard in which `code` is shown as code.
import { Code } from "@mantine/core";

export function Rich({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // oxlint-disable-next-line react/no-array-index-key
      <Code key={index}>{part}</Code>
    ) : (
      part
    ),
  );
}
