// `graphql` of `@/gql` as it runs. vite.config.ts puts it in the place of the generated one, which gives the types, but
// has a map of all operations that every page would load.

const fragments = new Map<string, string>();

/** The operation or fragment as it is written, with the fragments that it spreads. */
export function graphql(source: string): string {
  const fragment = /fragment (\w+)/.exec(source)?.[1];
  if (fragment) fragments.set(fragment, source);
  const spread = [...source.matchAll(/\.\.\.(\w+)/g)].map(([, name = ""]) => fragments.get(name) ?? "");
  return [source, ...spread].join("");
}
