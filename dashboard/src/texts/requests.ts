// Texts of the requests page, and what the codes of errors mean.
export const requests = {
  title: "Requests",
  text: "What was refused or failed, and what was charged.",
  tabs: { failed: "Failed", charged: "Charged" },
  id: "Request ID",
  status: "Status",
  anyStatus: "Any status",
  key: "API key",
  anyKey: "Any key",
  clear: "Clear filters",
  failed: {
    label: "Failed requests",
    columns: {
      request: "Request",
      status: "Status",
      code: "Code",
      message: "Message",
      by: "By",
      latency: "Latency",
      when: "Time",
    },
    note: "Kept for 14 days, up to 60 a minute. Requests with an unknown key belong to no account and are not listed.",
    empty: { title: "No failed requests", text: "Requests that are refused or fail appear here, with the reason." },
    nothing: { title: "No matching requests", text: "Clear some filters to see more." },
    unknown: {
      title: "No failed request with this ID",
      text: "It may have succeeded, be older than 14 days, or belong to another account.",
      charged: "Look in charges",
    },
  },
  charged: {
    label: "Charged requests",
    columns: { what: "Request", by: "By", id: "Request ID", items: "Items", amount: "Credits", when: "Time" },
    empty: { title: "No charges yet", text: "Every request that costs credits appears here." },
    nothing: { title: "No charge for this request", text: "It was free, failed, or belongs to another account." },
    failed: "Look in failed requests",
    ledger: "Open in ledger",
    all: "Open ledger",
  },
  unknownActor: "Unknown",
  details: {
    title: "Failed request",
    meaning: "What it means",
    todo: "What to do",
    id: "Request ID",
    by: "By",
    account: "Account",
    latency: "Latency",
    when: "Time",
  },
};

interface Explanation {
  when: string;
  todo: string;
}

/** What docs/errors.md says of each code. A test compares their names. */
export const errorCodes: Record<string, Explanation> = {
  MALFORMED_BODY: {
    when: "The body is not valid JSON or not the format it claims to be, or it is incomplete.",
    todo: "Fix the client.",
  },
  UNAUTHORIZED: {
    when: "There was no API key, or a mistyped, unknown, revoked or expired one.",
    todo: "Check the key.",
  },
  INSUFFICIENT_CREDITS: { when: "The balance is lower than the cost.", todo: "Get more credits." },
  FORBIDDEN: { when: "The key lacks the scope, or the person lacks the role.", todo: "Use another key or role." },
  NOT_FOUND: {
    when: "There is nothing at this path, or your account has nothing with this ID or name.",
    todo: "Check the path, and the IDs and names in it.",
  },
  METHOD_NOT_ALLOWED: {
    when: "The path exists, but not for this method.",
    todo: "Use a method that the `Allow` header of the response names.",
  },
  CONFLICT: {
    when:
      "The first request with this `Idempotency-Key` is still running, a quota is used up, or the state of what the " +
      "request is for doesn't allow it. The message says which.",
    todo: "Do what the message says, or retry later.",
  },
  PAYLOAD_TOO_LARGE: { when: "The body, or the picture in it, exceeds the path's limit.", todo: "Send less." },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "The path doesn't accept this `Content-Type` or `Content-Encoding`.",
    todo: "Send what the message names, usually `application/json`.",
  },
  VALIDATION_FAILED: {
    when: "The JSON has the wrong shape, or a value is out of range.",
    todo: "Fix the fields that `details` of the response names.",
  },
  INVALID_IMAGE: {
    when: "There was no picture, several, or one that can't be downloaded or read. The message says why.",
    todo: "Send another one.",
  },
  IDEMPOTENCY_MISMATCH: {
    when: "A different request used this `Idempotency-Key` in the last 24 hours.",
    todo: "Use a new key for each request.",
  },
  RATE_LIMITED: {
    when: "The key or its account exceeded its requests per minute.",
    todo: "Wait as the `Retry-After` header says.",
  },
  ENGINE_UNAVAILABLE: {
    when: "A model could not answer, or is not installed.",
    todo: "Retry. If it keeps failing, ask the operator of this server.",
  },
  UPSTREAM_FAILED: {
    when: "The backend server failed, timed out, or sent an answer that doesn't match the questions.",
    todo: "Retry. If it keeps failing, ask the operator of this server.",
  },
  INTERNAL_ERROR: {
    when: "The server has a bug, or its database did not answer.",
    todo: "Retry with the same `Idempotency-Key`. If it keeps failing, send the operator the request ID.",
  },
  OVERLOADED: {
    when: "There were too many requests at once, this one took over 60 seconds, or the server can't store anything.",
    todo: "Wait as the `Retry-After` header says.",
  },
};
