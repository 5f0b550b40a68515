// Named filters of the moderation queue.
import { type QueueFilter, filterOf, readFilter } from "./moderationFilter";

export interface SavedView {
  name: string;
  filter: QueueFilter;
}

/** Views as the server has them; filters that are not understood are left out. */
export function readViews(views: { name: string; filter: unknown }[]): SavedView[] {
  return views.map(({ name, filter }) => ({
    name,
    filter: filterOf(readFilter((filter ?? {}) as Record<string, unknown>)),
  }));
}

/** The view whose filters these are. */
export function currentView(views: SavedView[], filter: QueueFilter): SavedView | undefined {
  const text = canonical(filter);
  return views.find((view) => canonical(view.filter) === text);
}

function canonical(filter: QueueFilter): string {
  return JSON.stringify(Object.entries(filterOf(filter)).sort(([a], [b]) => a.localeCompare(b)));
}
