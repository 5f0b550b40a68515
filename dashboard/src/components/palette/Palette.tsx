// The command palette: pages, Judges, policies and actions, found by what is typed.
import "@mantine/spotlight/styles.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconGavel, IconSearch, IconShieldHalf } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { pagedQuery } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { graphql } from "@/gql";
import { maySee } from "@/logic/roles";
import { shell } from "@/texts/shell";
import { pagesFor } from "../navigation";
import { answerPaletteCall, usePaletteCalls } from "./call";
import { useActions } from "./entries";

const FoundQuery = graphql(`
  query Palette($name: String) {
    account {
      judges(first: 8, name: $name) {
        nodes {
          id
          name
          description
        }
      }
      moderationPolicies(first: 8, name: $name) {
        nodes {
          id
          name
          description
        }
      }
    }
  }
`);

const t = shell.palette;
const [store, palette] = createSpotlight();

export function Palette() {
  const router = useRouter();
  const [search, setSearch] = useState("");
  const [name] = useDebouncedValue(search.trim(), 150);
  const calls = usePaletteCalls();
  const viewer = useViewer();
  const actions = useActions();
  const found = useQuery({
    ...pagedQuery(FoundQuery, { name: name.slice(0, 100) || undefined }),
    enabled: maySee(viewer, "/judges"),
  }).data?.account;
  useEffect(() => {
    if (answerPaletteCall(calls)) palette.open();
  }, [calls]);
  const wanted = search.trim().toLowerCase();
  const matches = ({ label, keywords }: SpotlightActionData) =>
    `${label} ${String(keywords ?? "")}`.toLowerCase().includes(wanted);
  const all: [string, SpotlightActionData[]][] = [
    [
      t.groups.pages,
      pagesFor(viewer).map(({ to, text, icon: Picture }) => ({
        id: to,
        label: text,
        leftSection: <Picture size={17} stroke={1.6} aria-hidden />,
        onClick: () => void router.navigate({ to }),
      })),
    ],
    [
      t.groups.judges,
      (found?.judges.nodes ?? []).map((judge) => ({
        id: judge.id,
        label: judge.name,
        description: judge.description,
        leftSection: <IconGavel size={17} stroke={1.6} aria-hidden />,
        onClick: () => void router.navigate({ to: "/judges/$judgeId", params: { judgeId: judge.id } }),
      })),
    ],
    [
      t.groups.policies,
      (found?.moderationPolicies.nodes ?? []).map((policy) => ({
        id: policy.id,
        label: policy.name,
        description: policy.description,
        leftSection: <IconShieldHalf size={17} stroke={1.6} aria-hidden />,
        onClick: () => void router.navigate({ to: "/policies/$policyId", params: { policyId: policy.id } }),
      })),
    ],
    [t.groups.actions, actions],
  ];
  // What the server found for an earlier search is no answer to this one.
  const shown = all
    .map(([group, entries]): [string, SpotlightActionData[]] => [group, entries.filter(matches)])
    .filter(([, entries]) => entries.length > 0);
  return (
    <Spotlight.Root
      store={store}
      query={search}
      onQueryChange={setSearch}
      shortcut="mod + K"
      scrollable
      maxHeight={420}
      aria-label={t.title}
    >
      <Spotlight.Search
        placeholder={t.placeholder}
        aria-label={t.title}
        leftSection={<IconSearch size={17} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {shown.map(([group, entries]) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {entries.map((entry) => (
              <Spotlight.Action key={entry.id} {...entry} highlightQuery />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {shown.length === 0 && <Spotlight.Empty>{t.nothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
