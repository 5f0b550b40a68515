// A button that says why it cannot be pressed, also to a keyboard and a screen reader.
import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { ComponentProps, MouseEvent } from "react";

interface Props extends ButtonProps, Omit<ComponentProps<"button">, keyof ButtonProps> {
  /** Why it cannot be pressed; nothing while it can. */
  why?: string | false;
}

export function GuardedButton({ why, onClick, ...button }: Props) {
  const press = (event: MouseEvent<HTMLButtonElement>) => (why ? event.preventDefault() : onClick?.(event));
  // A button that is `disabled` shows no tooltip and takes no focus, so it only looks and acts like one.
  return (
    <Tooltip label={why} disabled={!why} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...button}
        data-disabled={why ? true : undefined}
        aria-disabled={why ? true : undefined}
        onClick={press}
      />
    </Tooltip>
  );
}
