import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TypedDocumentString } from "@/gql/graphql";
import { UserErrors, fieldError, formError } from "./errors";
import { execute, mutate } from "./graphql";
import { download, post } from "./rest";
import { hasSessionEnded, reportSessionResumed } from "./sessionEnd";

const document = "mutation Change { change { userErrors { message } } }" as unknown as TypedDocumentString<
  unknown,
  object
>;
const answer = (body: unknown, status = 200) =>
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(body), { status })));

function said(field: string, message: string) {
  return fieldError(new UserErrors([{ field, message: `${field} ${message}`, code: "VALIDATION_FAILED" }]), field);
}

async function ends(call: () => Promise<unknown>) {
  reportSessionResumed();
  await expect(call()).rejects.toThrow("sign in");
  expect(hasSessionEnded()).toBe(true);
}

beforeEach(reportSessionResumed);
afterEach(() => vi.unstubAllGlobals());

it("whichever call learns that the session has ended says so", async () => {
  answer({ errors: [{ message: "sign in", extensions: { code: "UNAUTHORIZED" } }] });
  await ends(() => execute(document, {}));
  await ends(() => mutate(document, {}));
  answer({ error: "sign in", code: "UNAUTHORIZED" }, 401);
  await ends(() => post("/api/v1/inference", {}));
  await ends(() => download("/api/v1/batches/b/results", "b.jsonl"));
});

it("a wrong password ends no session", async () => {
  answer({ data: { changePassword: { userErrors: [{ message: "the password is wrong", code: "UNAUTHORIZED" }] } } });
  await expect(mutate(document, {})).rejects.toBeInstanceOf(UserErrors);
  answer({ error: "too many", code: "RATE_LIMITED" }, 429);
  await expect(post("/api/v1/inference", {})).rejects.toThrow("too many");
  expect(hasSessionEnded()).toBe(false);
});

it("an error of a field below counts as that of the field, one that only begins alike does not", () => {
  const error = new UserErrors([
    { field: "rules.block[0].action", message: "a", code: "" },
    { field: "rulesets", message: "b", code: "" },
  ]);
  expect([fieldError(error, "rules"), fieldError(error, "rules.block"), fieldError(error, "rule")]).toEqual([
    "A.",
    "A.",
    undefined,
  ]);
  expect(formError(error, ["rules"])).toBe("B.");
});

it("what the server says of a field is a sentence that stands at the field", () => {
  expect(said("name", "must be 1 to 100 characters on one line")).toBe("Must be 1 to 100 characters on one line.");
  expect(said("email", "must be an e-mail address, such as ann@example.com")).toBe("Enter a valid email address.");
  expect(said("password", "is not the current password")).toBe("This is not your current password.");
});
