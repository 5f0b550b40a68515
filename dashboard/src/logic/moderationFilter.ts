// The filters of the moderation queue: from the URL to the API and back.
import { since } from "./datasetFilter";
import { choice, integer, optional, text } from "./search";

export const ACTIONS = ["ban", "timeout", "warn", "none"] as const;
export type ActionName = (typeof ACTIONS)[number];

/** What of the queue is shown. Without a status: what is open. */
export interface QueueFilter {
  status?: "decided" | "all";
  order?: "MOST_SEVERE_FIRST" | "NEWEST_FIRST" | "OLDEST_FIRST";
  /** Names, separated by commas. */
  actions?: string;
  /** Names, separated by commas. */
  categories?: string;
  author?: string;
  channel?: string;
  /** BCP 47. */
  language?: string;
  /** The id of a policy. */
  policy?: string;
  text?: string;
  days?: number;
  /** The lowest threat score. */
  score?: number;
  /** Only what is assigned to the viewer. */
  mine?: true;
  /** Only what this version of its policy would have decided otherwise, as a shadow. */
  shadow?: number;
}

/** What the URL of the queue holds. */
export interface QueueSearch extends QueueFilter {
  after?: string;
  before?: string;
  /** The number of the page's first message in the list. */
  from?: number;
}

/** Reads the filters of a URL or of a saved view. */
export function readFilter(search: Record<string, unknown>) {
  return {
    status: choice(search.status, ["decided", "all"]),
    order: choice(search.order, ["MOST_SEVERE_FIRST", "NEWEST_FIRST", "OLDEST_FIRST"]),
    actions: names(search.actions, (name) => ACTIONS.some((action) => action === name)),
    categories: names(search.categories, (name) => /^[a-z_]+$/.test(name)),
    author: text(search.author),
    channel: text(search.channel),
    language: text(search.language),
    policy: text(search.policy),
    text: text(search.text),
    days: integer(search.days),
    score: positive(search.score),
    mine: search.mine ? (true as const) : undefined,
    shadow: integer(search.shadow),
  };
}

export function readQueueSearch(search: Record<string, unknown>) {
  return optional({
    ...readFilter(search),
    after: text(search.after),
    before: text(search.before),
    from: integer(search.from),
  });
}

/** The list in `actions` or `categories`. */
export const listed = (value: string | undefined): string[] => (value ? value.split(",") : []);

/** A list as the URL keeps it. */
export const joined = (values: string[]): string | undefined => values.join(",") || undefined;

/** The filters alone, without those that are not set. */
export function filterOf(search: QueueSearch): QueueFilter {
  // Whatever else the URL has is no filter.
  const filter = readFilter({ ...search });
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as QueueFilter;
}

/** The filters that are set, besides status and order. */
export function activeFilters(search: QueueSearch): Exclude<keyof QueueFilter, "status" | "order">[] {
  const { status: _s, order: _o, ...filter } = filterOf(search);
  return Object.keys(filter) as Exclude<keyof QueueFilter, "status" | "order">[];
}

/** The arguments of `samples`, and of what is done to all that match. */
export function queueArguments(search: QueueFilter, viewerId: string | undefined, now = Date.now()) {
  const actions = listed(search.actions).map((name) => name.toUpperCase() as Uppercase<ActionName>);
  const categories = listed(search.categories);
  return {
    order: search.order ?? ("MOST_SEVERE_FIRST" as const),
    text: search.text,
    filter: {
      labelled: search.status === "all" ? undefined : search.status === "decided",
      since: since(search.days, now),
    },
    moderation: {
      actions: actions.length ? actions : undefined,
      categories: categories.length ? categories : undefined,
      author: search.author,
      channel: search.channel,
      language: search.language,
      policyId: search.policy,
      minThreatScore: search.score,
      assignedTo: search.mine ? viewerId : undefined,
      shadowVersion: search.shadow,
      shadowDiffers: search.shadow ? true : undefined,
    },
  };
}

function names(value: unknown, isKnown: (name: string) => boolean): string | undefined {
  return joined([...new Set(listed(text(value)))].filter(isKnown));
}

function positive(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
