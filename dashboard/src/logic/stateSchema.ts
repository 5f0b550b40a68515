// A Judge's schema of states: as text in its editor, and as the fields of a form.

/** A schema while it is edited; an empty text is none. `undefined` while it cannot be sent. */
export function readSchema(text: string): unknown {
  if (!text.trim()) return null;
  try {
    const schema: unknown = JSON.parse(text);
    return isObject(schema) || typeof schema === "boolean" ? schema : undefined;
  } catch {
    return undefined;
  }
}

export function schemaText(schema: unknown): string {
  return schema === null || schema === undefined ? "" : JSON.stringify(schema, null, 2);
}

/** A member of a state that a form asks for. */
export interface StateField {
  key: string;
  label: string;
  hint?: string;
  required: boolean;
  kind: "text" | "number" | "boolean" | "one of";
  /** The values of `one of`. */
  values: string[];
}

/** The members of the objects that fit a schema, or `undefined` where a form could not show them all. */
export function stateFields(schema: unknown): StateField[] | undefined {
  if (!isObject(schema) || schema.type !== "object" || !isObject(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([key, member]) => field(key, member, required.includes(key)));
  return fields.length > 0 && fields.every((one) => one !== undefined) ? fields : undefined;
}

function field(key: string, schema: unknown, required: boolean): StateField | undefined {
  if (!isObject(schema)) return undefined;
  const common = {
    key,
    label: typeof schema.title === "string" ? schema.title : key,
    hint: typeof schema.description === "string" ? schema.description : undefined,
    required,
    values: [],
  };
  if (Array.isArray(schema.enum)) {
    const values = schema.enum.filter((value) => typeof value === "string");
    return values.length === schema.enum.length ? { ...common, kind: "one of", values } : undefined;
  }
  switch (schema.type) {
    case "string":
      return { ...common, kind: "text" };
    case "number":
    case "integer":
      return { ...common, kind: "number" };
    case "boolean":
      return { ...common, kind: "boolean" };
    default:
      return undefined;
  }
}

/** The object that a text spells, or `undefined`. */
export function readObject(text: string): Record<string, unknown> | undefined {
  if (!text.trim()) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of an object with a member set, or removed where `value` is undefined or empty. */
export function withMember(object: Record<string, unknown>, key: string, value: unknown): string {
  const { [key]: _, ...others } = object;
  const changed = value === undefined || value === "" ? others : { ...object, [key]: value };
  return Object.keys(changed).length ? JSON.stringify(changed, null, 2) : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
