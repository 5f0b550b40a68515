import { describe, expect, it } from "vitest";
import { activeFilters, filterOf, queueArguments, readQueueSearch } from "./moderationFilter";

const given = (search: Record<string, unknown>) => JSON.parse(JSON.stringify(readQueueSearch(search)));

describe("the filters of the moderation queue", () => {
  it("are read from the URL, and what is not understood is left out", () => {
    const search = {
      status: "decided",
      order: "NEWEST_FIRST",
      actions: "ban,timeout",
      categories: "scam,self_harm",
      author: 42,
      channel: "#general",
      language: "de",
      policy: "policy_1",
      text: "nitro",
      days: 7,
      score: 1.5,
      mine: true,
      after: "cursor",
      from: 26,
    };
    expect(given(search)).toEqual({ ...search, author: "42" });
    expect(
      given({ status: "open", order: "x", actions: "kick,ban,ban", categories: "<b>", days: -1, score: 0, mine: "" }),
    ).toEqual({ actions: "ban" });
  });

  it("show open messages, the most severe first, by default", () => {
    const args = queueArguments({}, "user_1");
    expect(args.order).toBe("MOST_SEVERE_FIRST");
    expect(JSON.parse(JSON.stringify(args))).toEqual({
      order: "MOST_SEVERE_FIRST",
      filter: { labelled: false },
      moderation: {},
    });
    expect(queueArguments({ status: "decided" }, "user_1").filter.labelled).toBe(true);
    expect(queueArguments({ status: "all" }, "user_1").filter.labelled).toBeUndefined();
  });

  it("become the arguments of the API", () => {
    const now = Date.UTC(2026, 10, 27, 8, 30);
    const args = queueArguments(
      { actions: "ban,warn", categories: "scam", policy: "policy_1", score: 2, days: 1, mine: true, text: "a" },
      "user_1",
      now,
    );
    expect(args.filter.since).toBe("2026-11-26T08:00:00.000Z");
    expect(args.text).toBe("a");
    expect(JSON.parse(JSON.stringify(args.moderation))).toEqual({
      actions: ["BAN", "WARN"],
      categories: ["scam"],
      policyId: "policy_1",
      minThreatScore: 2,
      assignedTo: "user_1",
    });
  });

  it("are counted without status, order and page", () => {
    const search = readQueueSearch({ status: "all", order: "NEWEST_FIRST", after: "c", author: "bob", mine: true });
    expect(filterOf(search)).toEqual({ status: "all", order: "NEWEST_FIRST", author: "bob", mine: true });
    expect(activeFilters(search)).toEqual(["author", "mine"]);
    const strange = { ...search, utm_source: "mail" };
    expect(activeFilters(strange)).toEqual(["author", "mine"]);
  });
});
