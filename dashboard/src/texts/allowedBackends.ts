// Texts about the backends that keys and accounts may use.
export const allowedBackends = {
  open: "Backends",
  title: (name: string) => `Backends of ${name}`,
  label: "Backends",
  hint: "The default model can always be used.",
  choices: { all: "All", some: "Only these" },
  names: "Names of backends",
  placeholder: "Type a name, then Enter",
  save: "Set backends",
  saved: (name: string) => `Backends of ${name} set.`,
  key: "For this key. A narrower list also narrows those of the keys that it created.",
  account: "For all API keys and people of the account. A key may have a shorter list.",
};
