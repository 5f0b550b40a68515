// Texts of the ledger, people, the audit log and the settings.
export const ledger = {
  title: "Ledger",
  text: "Every credit that came or went, with what it was for. Entries are never changed.",
  kind: "Kind",
  kinds: { any: "All", CHARGE: "Charges", GRANT: "Grants", REFUND: "Refunds", ADJUSTMENT: "Adjustments" },
  kindNames: { CHARGE: "Charge", GRANT: "Grant", REFUND: "Refund", ADJUSTMENT: "Adjustment" },
  period: "Period",
  periods: { all: "All time", days: (days: number) => `${days} days` },
  columns: { seq: "No.", kind: "Kind", what: "For", by: "By", reference: "Reference", amount: "Amount", balance: "Balance after", when: "When" },
  empty: { title: "No entry", text: "Grants and charges appear here. Loosen the filters if you expected some." },
};

export const people = {
  title: "People",
  text: "Who can sign in to this account, and what they may do.",
  invite: "Invite",
  columns: { email: "E-mail address", role: "Role", joined: "Joined" },
  roles: { OWNER: "Owner", EDITOR: "Editor", ANALYST: "Analyst" },
  roleTexts: {
    OWNER: "Also invites, changes roles, and can erase the account.",
    EDITOR: "Also changes Judges, datasets and keys, and spends credits.",
    ANALYST: "Sees everything, changes nothing.",
  },
  you: "You",
  remove: "Remove",
  removeTitle: (email: string) => `Remove ${email}?`,
  removeText: "Their sessions end at once. What they did stays in the audit log.",
  removed: "Removed.",
  roleSet: (email: string, role: string) => `${email} is ${role} now.`,
  open: "Open invitations",
  expires: "Expires",
  revoke: "Withdraw",
  revoked: "The invitation is withdrawn.",
  form: { title: "Invite a person", email: "E-mail address", role: "Role", submit: "Create invitation", text: "Gavel sends no mail: you get a link, and pass it on." },
  token: { title: "The invitation's link", text: "Pass it on to them alone. It is shown this once and works for a week, for this address.", label: "Link", done: "Done" },
};

export const audit = {
  title: "Audit log",
  text: "Who changed what, and when. It never holds content or secrets.",
  columns: { action: "Action", actor: "By", target: "What", detail: "Details", when: "When" },
  empty: { title: "Nothing yet", text: "Changes of keys, Judges, people and settings appear here." },
  operator: "Operator",
};

export const settings = {
  title: "Settings",
  name: { title: "Account", label: "Name", save: "Rename", saved: "Renamed.", id: "Account id" },
  password: { title: "Password", old: "Password now", new: "New password", hint: "At least 10 characters. All other sessions end.", save: "Change password", saved: "The password is changed; other sessions have ended." },
  sessions: { title: "Where you are signed in", current: "This one", used: "Used", end: "End", endOthers: "End all others", ended: "Ended." },
  appearance: { title: "Appearance", hint: "Kept in this browser." },
  erase: {
    title: "Erase the account",
    text: "Deletes people, keys, Judges, datasets and the audit log, permanently. Only amounts and times of the ledger remain.",
    label: (name: string) => `Type the account's name, ${name}, to confirm`,
    action: "Erase everything",
    open: "Erase…",
  },
};
