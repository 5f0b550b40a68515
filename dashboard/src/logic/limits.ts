// The server's limits on what people type, paste and upload, so that it is said before anything is sent. Where an
// operator has set lower ones, the server's own message says so.
import { shell } from "@/texts/shell";
import { count } from "./format";

/** Characters of a message to moderate. */
export const MESSAGE_CHARS = 10_000;
/** Messages of a batch in one request. */
export const BATCH_MESSAGES = 50;
/** Characters of a name. */
export const NAME_CHARS = 100;
/** Characters of a description of a Judge or a policy; names are shorter than their fields. */
export const DESCRIPTION_CHARS = 2_000;
/** Bytes of a state and its instructions together, as JSON. */
export const INFERENCE_BYTES = 256 * 1024;
/** Bytes of the rules of a moderation policy, as JSON. */
export const RULES_BYTES = 256 * 1024;
/** Bytes of a picture. */
export const PICTURE_BYTES = 10 * 1024 * 1024;
/** Bytes of what one GraphQL request brings, as JSON: a mebibyte, less the operation itself. */
export const GRAPHQL_BYTES = 1024 * 1024 - 4096;

/** Bytes of a file to import. */
export const IMPORT_BYTES = 64 * 1024 * 1024;

/**
 * What is wrong with a text of more than `most` characters. Characters are Unicode code points, as the server counts.
 */
export function tooManyChars(text: string, most: number): string | undefined {
  if (text.length <= most) return undefined;
  const chars = Array.from(text).length;
  return chars > most ? shell.limits.chars(count(most), count(chars)) : undefined;
}

/** What is wrong with a value of more than `most` bytes of JSON. */
export function tooManyBytes(value: unknown, most: number): string | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(value) ?? "").length;
  return bytes > most ? shell.limits.bytes(size(most), size(bytes)) : undefined;
}

/** Bytes in the unit that people use: `256 KB`. */
export function size(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${count(Math.ceil(bytes / 1024))} KB`
    : `${(bytes / 1024 / 1024).toFixed(1).replace(".0", "")} MB`;
}
