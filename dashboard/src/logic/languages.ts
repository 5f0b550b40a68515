// Names of languages.

const names = new Intl.DisplayNames("en", { type: "language" });

/** The name of a BCP 47 code, or the code where it is none. */
export function languageName(code: string): string {
  if (code === "und" || code.startsWith("und-")) return "Undetermined";
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
