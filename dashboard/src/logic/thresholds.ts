// The thresholds of a category as sliders set them.
import { RULE_ACTIONS, type CategoryForm, type RuleAction, type Typed } from "./policyRules";

export type Thresholds = CategoryForm["thresholds"];
/** Actions whose thresholds must not decrease, mildest first. */
const STEPS: RuleAction[] = ["warn", "timeout", "ban"];

/** With a threshold, to which the others give way, since a stricter action never begins below a milder one. */
export function withThreshold(thresholds: Thresholds, action: RuleAction, value: Typed): Thresholds {
  const changed = { ...thresholds, [action]: value };
  const place = STEPS.indexOf(action);
  if (value === "" || place < 0) return changed;
  STEPS.forEach((other, index) => {
    const set = changed[other];
    if (set === "" || other === action) return;
    if (index < place) changed[other] = Math.min(Number(set), Number(value));
    else changed[other] = Math.max(Number(set), Number(value));
  });
  return changed;
}

/** Whether an action has a threshold, so that the category counts by its thresholds alone. */
export const acts = (thresholds: Thresholds): boolean => STEPS.some((action) => thresholds[action] !== "");

/** The thresholds that are set. */
export function setThresholds(thresholds: Thresholds): [RuleAction, number][] {
  return RULE_ACTIONS.flatMap((action): [RuleAction, number][] =>
    thresholds[action] === "" ? [] : [[action, Number(thresholds[action])]],
  );
}

/** A threshold as people read it: `12.5%`. */
export const thresholdText = (value: number): string => `${Number((value * 100).toFixed(1))}%`;
