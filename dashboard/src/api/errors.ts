// What can go wrong between the dashboard and the server, and how it is said.
import { sentence } from "@/logic/format";
import { serverWords } from "@/texts/errors";

/** An error in the input, which the person can mend. */
export interface UserError {
  field?: string | null;
  message: string;
  code: string;
}

/** The server answered with an error. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly requestId?: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  constructor() {
    super(serverWords.unreachable);
    this.name = "Unreachable";
  }
}

/** A mutation refused its input. */
export class UserErrors extends Error {
  constructor(readonly errors: UserError[]) {
    super(errors.map(({ message }) => sentence(message)).join(" "));
    this.name = "UserErrors";
  }

  get code(): string {
    return this.errors[0]?.code ?? "";
  }

  /** The error of one field of the input, or of any field below it. */
  at(field: string): UserError | undefined {
    return this.errors.find((error) => isWithin(error.field, field));
  }
}

/** Whether `path` is `field`, or lies below it: `rules.block[0].action` and `rules#/block` are within `rules`. */
function isWithin(path: string | null | undefined, field: string): boolean {
  return path?.startsWith(field) === true && [undefined, ".", "[", "#"].includes(path[field.length]);
}

/** The message for `field` if `error` has one, after the place in the field's JSON if it names one. */
export function fieldError(error: unknown, field: string): string | undefined {
  const found = error instanceof UserErrors ? error.at(field) : undefined;
  if (!found) return undefined;
  const pointer = found.field?.split("#")[1];
  return pointer ? `${pointer}: ${atField(found)}` : atField(found);
}

/** A message without the name of its field, beside which it stands. */
function atField({ field, message }: UserError): string {
  const said = field && message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
  return serverWords.plainer[said] ?? sentence(said);
}

/** The message of `error` for the form as a whole: of fields that are not among `fields`. */
export function formError(error: unknown, fields: string[]): string | undefined {
  // The dialog over the page says that the session has ended.
  if (!error || (error instanceof ApiError && error.code === "UNAUTHORIZED")) return undefined;
  if (!(error instanceof UserErrors)) return sentence(error instanceof Error ? error.message : String(error));
  const rest = error.errors.filter((one) => !fields.some((field) => isWithin(one.field, field)));
  return rest.length ? rest.map((one) => sentence(one.message)).join(" ") : undefined;
}

/** The id of the request that failed, if the server gave it one. */
export function requestOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}

/** The code of an error of the server. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof ApiError || error instanceof UserErrors ? error.code : undefined;
}
