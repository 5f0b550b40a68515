// How lists follow what changes by itself.

/** How often they are fetched again while the page is visible, in milliseconds. */
export const LIVE = 10_000;

/** How often a request that has just failed is looked for until the server has written it down. */
const SOON = 2_000;
const TRIES = 5;

/** When to look again for what has `found` rows after `fetches`. */
export const lookAgain = (found: number | undefined, fetches: number) => (found === 0 && fetches < TRIES ? SOON : LIVE);
