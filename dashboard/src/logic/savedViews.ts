// Named filters of the moderation queue, as the browser keeps them.
import { type QueueFilter, filterOf, readFilter } from "./moderationFilter";

export interface SavedView {
  name: string;
  filter: QueueFilter;
}

/** Views of an account; what is not understood is left out. */
export function parseViews(stored: string | undefined): SavedView[] {
  let views: unknown;
  try {
    views = JSON.parse(stored ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(views)) return [];
  return views.flatMap((view: unknown): SavedView[] => {
    const { name, filter } = (view ?? {}) as { name?: unknown; filter?: unknown };
    if (typeof name !== "string" || typeof filter !== "object" || filter === null) return [];
    return [{ name, filter: filterOf(readFilter(filter as Record<string, unknown>)) }];
  });
}

/** With a view, in place of one of the same name. */
export function withView(views: SavedView[], view: SavedView): SavedView[] {
  return [...views.filter((one) => one.name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));
}

/** The view whose filters these are. */
export function currentView(views: SavedView[], filter: QueueFilter): SavedView | undefined {
  const text = canonical(filter);
  return views.find((view) => canonical(view.filter) === text);
}

function canonical(filter: QueueFilter): string {
  return JSON.stringify(Object.entries(filterOf(filter)).sort(([a], [b]) => a.localeCompare(b)));
}
