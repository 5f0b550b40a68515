// What the commands of the queue do, by key and by button.
import { useEffect, useRef } from "react";
import { type ActionName, ACTIONS } from "@/logic/moderationFilter";
import { CATEGORIES } from "@/logic/policyRules";
import type { QueueCommand } from "@/logic/queueKeys";
import { decidedAction, harms, toggled } from "@/logic/verdict";
import { rowId } from "./QueueRow";
import type { Message } from "./queries";
import type { QueueState } from "./useQueue";
import type { useSelection } from "./useSelection";

interface Settings {
  state: QueueState;
  selection: ReturnType<typeof useSelection>;
  canDecide: boolean;
  blind: boolean;
  /** Whether the panel stands beside the list; otherwise it is opened over it. */
  wide: boolean;
  panelOpened: boolean;
  openPanel: () => void;
  openHelp: () => void;
}

export function useQueueCommands(settings: Settings) {
  const { state, selection, canDecide, blind, wide, panelOpened, openPanel, openHelp } = settings;
  const { focused } = state;
  const focusRow = () => focused && document.getElementById(rowId(focused.id))?.focus();
  // The browser's focus follows what keys have moved the queue's to.
  const moved = useRef(false);
  useEffect(() => {
    if (!moved.current || panelOpened) return;
    moved.current = false;
    focusRow();
  });

  const isHidden = (message: Message) =>
    blind && !state.decided.some((one) => one.row.id === message.id) && decidedAction(message.answers) === undefined;
  const decide = (message: Message, action: ActionName) => {
    moved.current = true;
    state.decide(message, action);
  };
  const agree = (message: Message) => {
    const verdict = ACTIONS.find((action) => action === message.moderation.action.toLowerCase());
    if (verdict && !isHidden(message)) decide(message, verdict);
  };
  const undo = () => {
    moved.current = true;
    state.undo();
  };
  const toggleCategory = (message: Message, index: number) => {
    const known = harms(message.answers).find((harm) => harm.category === CATEGORIES[index]);
    if (!known) return;
    const harm = isHidden(message) ? { category: known.category, probability: 0 } : known;
    state.setDraft(message.id, { categories: toggled(state.draftOf(message.id).categories, harm) });
  };
  /** Moves the browser's focus into the panel. */
  const enterPanel = (selector: string) =>
    wide ? document.querySelector<HTMLElement>(selector)?.focus() : openPanel();

  const decideOn = (message: Message, command: QueueCommand) => {
    switch (command.kind) {
      case "agree":
        return agree(message);
      case "decide":
        return decide(message, command.action);
      case "category":
        return toggleCategory(message, command.index);
      case "claim":
        return state.claim(message);
      case "note":
        return enterPanel("#moderation-note");
      case "categories":
        return enterPanel("#moderation-categories button");
      case "select":
        return selection.toggle(message.id);
      default:
        return undefined;
    }
  };
  const run = (command: QueueCommand) => {
    if (command.kind === "keys") return openHelp();
    if (command.kind === "move") {
      moved.current = true;
      return state.move(command.step);
    }
    if (!canDecide || state.result.isPlaceholderData) return undefined;
    if (command.kind === "undo") return undo();
    return focused && decideOn(focused, command);
  };
  return { run, decide, undo, focusRow };
}
