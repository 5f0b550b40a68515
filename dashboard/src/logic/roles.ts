// What a role may see and do.
import type { Role } from "@/gql/graphql";

/** Whether the role changes Judges, datasets, policies and keys. */
export const mayEdit = (role: Role): boolean => role === "OWNER" || role === "EDITOR";

/** Whether the role decides on messages of the moderation log. */
export const mayModerate = (role: Role): boolean => role !== "ANALYST";

/** Pages of moderators: the queue, its insights, and their own settings. */
const PAGES = ["/moderation", "/moderation/insights", "/settings"];

export const isForModerators = (path: string): boolean => PAGES.includes(path.replace(/(.)\/$/, "$1"));

/** Pages about the deployment, which are for its operators, whatever their role in their account. */
export const isForOperators = (path: string): boolean => /^\/operator(\/|$)/.test(path);

/** Whether somebody sees a page at all. */
export function maySee({ role, operator }: { role: Role; operator: boolean }, path: string): boolean {
  if (isForOperators(path)) return operator;
  return role !== "MODERATOR" || isForModerators(path);
}
