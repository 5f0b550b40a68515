// What the server says of fields, in the words of a form.
export const serverWords = {
  unreachable: "Can't reach Gavel.",
  /** Without the name of the field, which stands above it. */
  plainer: {
    "must be an e-mail address, such as ann@example.com": "Enter a valid email address.",
    "is not the current password": "This is not your current password.",
    "must be the name of the account, letter by letter": "Type the account's name exactly as it is shown.",
    "must be at least 10 characters long, and at most 1024 bytes": "Use at least 10 characters.",
  } as Record<string, string>,
};
