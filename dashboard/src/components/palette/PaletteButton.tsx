// What looks like a search field and opens the command palette, so that people learn of its shortcut.
import { Group, Text, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { shell } from "@/texts/shell";
import { callPalette } from "./call";

export function PaletteButton() {
  const apple = /Mac|iPhone|iPad/.test(navigator.platform);
  return (
    <UnstyledButton className="palette-button" aria-keyshortcuts={apple ? "Meta+K" : "Control+K"} onClick={callPalette}>
      <Group gap={8} wrap="nowrap">
        <IconSearch size={15} stroke={1.6} aria-hidden />
        <Text size="sm" inherit>
          {shell.palette.open}
        </Text>
      </Group>
      <Text component="span" visibleFrom="sm" aria-hidden>
        <kbd>{apple ? "⌘ K" : "Ctrl K"}</kbd>
      </Text>
    </UnstyledButton>
  );
}
