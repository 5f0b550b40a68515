import { describe, expect, it } from "vitest";
import { readObject, readSchema, schemaText, stateFields, withMember } from "./stateSchema";

const order = {
  type: "object",
  properties: {
    text: { type: "string", title: "Message" },
    total: { type: "number", description: "in euros" },
    paid: { type: "boolean" },
    plan: { enum: ["free", "team"] },
  },
  required: ["text"],
};

describe("a schema of states", () => {
  it("comes back as it was edited", () => {
    expect(readSchema(schemaText(order))).toEqual(order);
    expect(readSchema(schemaText(null))).toBeNull();
    expect(readSchema("  ")).toBeNull();
  });

  it("is an object or a boolean", () => {
    expect(readSchema("true")).toBe(true);
    for (const text of ["{", "[]", "3", '"x"', "null"]) expect(readSchema(text)).toBeUndefined();
  });

  it("becomes fields", () => {
    expect(stateFields(order)?.map((field) => [field.label, field.kind, field.required])).toEqual([
      ["Message", "text", true],
      ["total", "number", false],
      ["paid", "boolean", false],
      ["plan", "one of", false],
    ]);
  });

  it("stays JSON where a form would lose something", () => {
    expect(stateFields({ type: "string" })).toBeUndefined();
    expect(stateFields({ type: "object" })).toBeUndefined();
    expect(stateFields({ type: "object", properties: {} })).toBeUndefined();
    expect(stateFields({ type: "object", properties: { items: { type: "array" } } })).toBeUndefined();
    expect(stateFields({ type: "object", properties: { level: { enum: [1, 2] } } })).toBeUndefined();
    expect(stateFields({ type: "object", properties: { plan: { $ref: "#/$defs/plan" } } })).toBeUndefined();
  });
});

describe("a state in fields", () => {
  it("keeps the members that the form does not change", () => {
    const text = withMember(readObject('{"text": "hi", "other": [1]}') ?? {}, "total", 3);
    expect(JSON.parse(text)).toEqual({ text: "hi", other: [1], total: 3 });
    expect(JSON.parse(withMember(JSON.parse(text), "total", ""))).toEqual({ text: "hi", other: [1] });
    expect(withMember({ text: "hi" }, "text", "")).toBe("");
  });

  it("is read from an object alone", () => {
    expect(readObject("")).toEqual({});
    for (const text of ["hello", "[1]", "{"]) expect(readObject(text)).toBeUndefined();
  });
});
