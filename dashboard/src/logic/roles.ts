// What a role may see and do.
import type { Role } from "@/gql/graphql";

/** Whether the role changes Judges, datasets, policies and keys. */
export const mayEdit = (role: Role): boolean => role === "OWNER" || role === "EDITOR";

/** Whether the role decides on messages of the moderation log. */
export const mayModerate = (role: Role): boolean => role !== "ANALYST";

/** Pages of moderators: the queue, its insights, and their own settings. */
const PAGES = ["/moderation", "/moderation/insights", "/settings"];

export const isForModerators = (path: string): boolean => PAGES.includes(path.replace(/(.)\/$/, "$1"));
