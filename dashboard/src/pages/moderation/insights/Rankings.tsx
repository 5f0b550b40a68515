// What occurs most, each entry leading to its messages in the queue.
import { languageName } from "@/logic/languages";
import { words } from "@/logic/format";
import { insights as t } from "@/texts/moderation";
import type { InsightsData } from "./Insights";
import { type Entry, Ranking } from "./Ranking";

type Group = InsightsData["channels"][number];
type Filter = NonNullable<Entry["filter"]>;

export function Rankings({ data, days }: { data: InsightsData; days: number }) {
  const within = (filter: Filter): Filter => ({ status: "all", days, ...filter });
  const grouped = (groups: Group[], filter: (value: string) => Filter, label = (name: string) => name) =>
    groups.map(({ name, value, messages, actedUpon }): Entry => ({
      id: value,
      label: label(name),
      messages,
      actedUpon,
      filter: within(filter(value)),
    }));
  // A search for a text finds it wherever it stands.
  const terms = (found: InsightsData["domains"]) =>
    found.map(({ term, messages }): Entry => ({ id: term, label: term, messages, filter: within({ text: term }) }));
  const harms = data.harms.map(({ category, messages }): Entry => ({
    id: category,
    label: words(category),
    messages,
    filter: within({ categories: category }),
  }));
  return (
    <>
      <Ranking {...t.harms} entries={harms} />
      <Ranking {...t.channels} note={t.groupNote} entries={grouped(data.channels, (channel) => ({ channel }))} />
      <Ranking {...t.authors} note={t.groupNote} entries={grouped(data.authors, (author) => ({ author }))} />
      <Ranking
        {...t.languages}
        note={t.groupNote}
        entries={grouped(data.languages, (language) => ({ language }), languageName)}
      />
      <Ranking {...t.policies} note={t.groupNote} entries={grouped(data.policies, (policy) => ({ policy }))} />
      <Ranking {...t.domains} entries={terms(data.domains)} />
      <Ranking {...t.phrases} entries={terms(data.phrases)} />
    </>
  );
}
