// How pages of operators follow what changes by itself.

/** How often it is fetched again while the page is visible, in milliseconds. */
export const LIVE = 10_000;
