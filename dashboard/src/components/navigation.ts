// What the navigation and the palette lead to, for each viewer.
import {
  IconArrowsExchange,
  IconBuilding,
  IconCpu,
  IconFlask2,
  IconGavel,
  IconHistory,
  IconHome2,
  IconKey,
  IconMessageReport,
  IconReceipt2,
  IconServer2,
  IconSettings,
  IconShieldHalf,
  IconStack2,
  IconSubtask,
  IconTag,
  IconUsers,
  IconVocabulary,
  IconWebhook,
} from "@tabler/icons-react";
import { maySee } from "@/logic/roles";
import { moderationLog } from "@/texts/moderationLog";
import { shell as t } from "@/texts/shell";

const NAVIGATION = [
  {
    label: undefined,
    links: [
      { to: "/", text: t.pages.overview, icon: IconHome2 },
      { to: "/playground", text: t.pages.playground, icon: IconFlask2 },
    ],
  },
  {
    label: t.groups.work,
    links: [
      { to: "/judges", text: t.pages.judges, icon: IconGavel },
      { to: "/policies", text: t.pages.policies, icon: IconShieldHalf },
      { to: "/moderation", text: moderationLog.title, icon: IconMessageReport },
      { to: "/batches", text: t.pages.batches, icon: IconStack2 },
    ],
  },
  {
    label: t.groups.build,
    links: [
      { to: "/keys", text: t.pages.keys, icon: IconKey },
      { to: "/webhooks", text: t.pages.webhooks, icon: IconWebhook },
      { to: "/requests", text: t.pages.requests, icon: IconArrowsExchange },
    ],
  },
  {
    label: t.groups.account,
    links: [
      { to: "/ledger", text: t.pages.ledger, icon: IconReceipt2 },
      { to: "/people", text: t.pages.people, icon: IconUsers },
      { to: "/audit", text: t.pages.audit, icon: IconHistory },
      { to: "/settings", text: t.pages.settings, icon: IconSettings },
    ],
  },
  {
    label: t.groups.operator,
    links: [
      { to: "/operator", text: t.pages.operator, icon: IconServer2 },
      { to: "/operator/accounts", text: t.pages.accounts, icon: IconBuilding },
      { to: "/operator/prices", text: t.pages.prices, icon: IconTag },
      { to: "/operator/jobs", text: t.pages.jobs, icon: IconSubtask },
      { to: "/operator/models", text: t.pages.models, icon: IconCpu },
    ],
  },
] as const;

const GLOSSARY = { to: "/glossary", text: t.pages.glossary, icon: IconVocabulary } as const;

type Viewer = Parameters<typeof maySee>[0];

/** The groups of links that somebody sees. */
export function navigationFor(viewer: Viewer) {
  return NAVIGATION.map(({ label, links }) => ({ label, links: links.filter(({ to }) => maySee(viewer, to)) })).filter(
    ({ links }) => links.length > 0,
  );
}

/** All pages that somebody can jump to. */
export function pagesFor(viewer: Viewer) {
  return [...NAVIGATION.flatMap((group) => [...group.links]), GLOSSARY].filter(({ to }) => maySee(viewer, to));
}

/** The link that a path lies under: the longest, since pages of operators have one in common. */
export function sectionOf(path: string): string | undefined {
  const links = NAVIGATION.flatMap((group): { to: string }[] => [...group.links]).map(({ to }) => to);
  return links
    .filter((to) => path === to || (to !== "/" && path.startsWith(`${to}/`)))
    .toSorted((a, b) => b.length - a.length)[0];
}
