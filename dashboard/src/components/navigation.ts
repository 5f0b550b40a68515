// What the navigation leads to, for each role.
import {
  IconFlask2,
  IconGavel,
  IconHistory,
  IconHome2,
  IconKey,
  IconMessageReport,
  IconReceipt2,
  IconSettings,
  IconShieldHalf,
  IconStack2,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { Role } from "@/gql/graphql";
import { isForModerators } from "@/logic/roles";
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
] as const;

/** The groups of links that a role sees. */
export function navigationFor(role: Role) {
  return NAVIGATION.map(({ label, links }) => ({
    label,
    links: links.filter(({ to }) => role !== "MODERATOR" || isForModerators(to)),
  })).filter(({ links }) => links.length > 0);
}

/** The link that a path lies under. */
export function sectionOf(path: string): string | undefined {
  const links = NAVIGATION.flatMap((group): { to: string }[] => [...group.links]);
  return links.find(({ to }) => to !== "/" && path.startsWith(to))?.to ?? (path === "/" ? "/" : undefined);
}
