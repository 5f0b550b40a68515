// What was typed and not saved, while the browser's tab is open: it survives other pages, not a sign-out.

const PREFIX = "gavel-kept-";

export function readKept<T>(key: string): T | undefined {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

export function keep(key: string, value: unknown) {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // It is full or forbidden: then nothing is kept.
  }
}

/** A file cannot be stored, so it lasts until the page is loaded anew. */
export const kept: { file: File | null } = { file: null };

export function forgetKept() {
  kept.file = null;
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of keys) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept.
  }
}
