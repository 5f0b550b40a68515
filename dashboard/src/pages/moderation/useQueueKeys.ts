// The keys of the queue, wherever the focus is, except where one writes or chooses.
import { useEffect, useEffectEvent } from "react";
import { type QueueCommand, commandOf } from "@/logic/queueKeys";

/** Dialogs and lists have keys of their own; so have fields for text. */
const OWN_KEYS = "[role=dialog], [role=menu], [role=listbox], textarea, select, [contenteditable=true]";

export function useQueueKeys(run: (command: QueueCommand) => void) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target instanceof Element ? event.target : document.body;
    const command = commandOf(event);
    if (!command || event.defaultPrevented || target.closest(OWN_KEYS) || document.querySelector("[role=dialog]"))
      return;
    if (target instanceof HTMLInputElement && !["checkbox", "radio"].includes(target.type)) return;
    // Enter on a button or a link is theirs, as arrows are of tabs and choices.
    const own = target.closest("a, button, input, [role=tab], [role=radio]");
    if (own && (event.key === "Enter" || event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    run(command);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}
