// An id, with a button that copies it.
import { Group } from "@mantine/core";
import { CopyIcon } from "./CopyButton";

export function IdText({ id, label }: { id: string; label?: string }) {
  return (
    <Group component="span" gap={2} wrap="nowrap" display="inline-flex" maw="100%">
      <span className="mono clip" title={id}>
        {id}
      </span>
      <CopyIcon value={id} label={label} />
    </Group>
  );
}
