// Text of programs, with a button that copies it.
import { Box } from "@mantine/core";
import { CopyIcon } from "./CopyButton";

export function CodeBlock({ text, wrap, label }: { text: string; wrap?: boolean; label: string }) {
  return (
    <Box pos="relative">
      {/* It scrolls, so it must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="code" data-wrap={wrap || undefined} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Box pos="absolute" top={8} right={8} style={{ background: "var(--surface)", borderRadius: 6 }}>
        <CopyIcon value={text} />
      </Box>
    </Box>
  );
}
