// A button that copies, and says that it has.
import { ActionIcon, Button, CopyButton as Copier, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { shell as t } from "@/texts/shell";

export function CopyIcon({ value, label = t.copy }: { value: string; label?: string }) {
  return (
    <Copier value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.copied : label}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={copied ? t.copied : label}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copier>
  );
}

export function CopyText({ value }: { value: string }) {
  return (
    <Copier value={value}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        >
          {copied ? t.copied : t.copy}
        </Button>
      )}
    </Copier>
  );
}
