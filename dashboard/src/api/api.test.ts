import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TypedDocumentString } from "@/gql/graphql";
import { UserErrors, fieldError, formError } from "./errors";
import { execute, mutate } from "./graphql";
import { download, post } from "./rest";
import { onSessionEnd } from "./sessionEnd";

const ended = vi.fn();
const document = "mutation Change { change { userErrors { message } } }" as unknown as TypedDocumentString<
  unknown,
  object
>;
const answer = (body: unknown, status = 200) =>
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(body), { status })));

beforeEach(() => onSessionEnd(ended));
afterEach(() => {
  vi.unstubAllGlobals();
  ended.mockReset();
});

it("whichever call learns that the session has ended says so", async () => {
  answer({ errors: [{ message: "sign in", extensions: { code: "UNAUTHORIZED" } }] });
  await expect(execute(document, {})).rejects.toThrow("sign in");
  await expect(mutate(document, {})).rejects.toThrow("sign in");
  answer({ error: "sign in", code: "UNAUTHORIZED" }, 401);
  await expect(post("/api/v1/inference", {})).rejects.toThrow("sign in");
  await expect(download("/api/v1/batches/b/results", "b.jsonl")).rejects.toThrow("sign in");
  expect(ended).toHaveBeenCalledTimes(4);
});

it("a wrong password ends no session", async () => {
  answer({ data: { changePassword: { userErrors: [{ message: "the password is wrong", code: "UNAUTHORIZED" }] } } });
  await expect(mutate(document, {})).rejects.toBeInstanceOf(UserErrors);
  answer({ error: "too many", code: "RATE_LIMITED" }, 429);
  await expect(post("/api/v1/inference", {})).rejects.toThrow("too many");
  expect(ended).not.toHaveBeenCalled();
});

it("an error of a field below counts as that of the field, one that only begins alike does not", () => {
  const error = new UserErrors([
    { field: "rules.block[0].action", message: "a", code: "" },
    { field: "rulesets", message: "b", code: "" },
  ]);
  expect([fieldError(error, "rules"), fieldError(error, "rules.block"), fieldError(error, "rule")]).toEqual([
    "a",
    "a",
    undefined,
  ]);
  expect(formError(error, ["rules"])).toBe("b");
});
