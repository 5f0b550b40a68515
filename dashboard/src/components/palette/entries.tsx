// What the command palette always offers.
import { useMantineColorScheme } from "@mantine/core";
import type { SpotlightActionData } from "@mantine/spotlight";
import {
  IconBook2,
  IconBrandGraphql,
  IconDeviceDesktop,
  IconFlask2,
  IconGavel,
  IconHistory,
  IconHome2,
  IconKey,
  IconLogout,
  IconMessageReport,
  IconMoon,
  IconPlus,
  IconReceipt2,
  IconSettings,
  IconShieldHalf,
  IconStack2,
  IconSun,
  IconUsers,
  IconVocabulary,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { signOut, useCanEdit } from "@/api/session";
import { judges } from "@/texts/judges";
import { policies } from "@/texts/policies";
import { shell } from "@/texts/shell";
import { tellFailure } from "../notify";

const t = shell.pages;

export const PAGES = [
  { to: "/", text: t.overview, icon: IconHome2 },
  { to: "/playground", text: t.playground, icon: IconFlask2 },
  { to: "/judges", text: t.judges, icon: IconGavel },
  { to: "/policies", text: t.policies, icon: IconShieldHalf },
  { to: "/moderation-log", text: t.moderationLog, icon: IconMessageReport },
  { to: "/batches", text: t.batches, icon: IconStack2 },
  { to: "/keys", text: t.keys, icon: IconKey },
  { to: "/webhooks", text: t.webhooks, icon: IconWebhook },
  { to: "/ledger", text: t.ledger, icon: IconReceipt2 },
  { to: "/people", text: t.people, icon: IconUsers },
  { to: "/audit", text: t.audit, icon: IconHistory },
  { to: "/settings", text: t.settings, icon: IconSettings },
  { to: "/glossary", text: t.glossary, icon: IconVocabulary },
] as const;

const picture = (Picture: Icon) => <Picture size={17} stroke={1.6} aria-hidden />;

/** What the viewer can do from anywhere. */
export function useActions(): SpotlightActionData[] {
  const router = useRouter();
  const canEdit = useCanEdit();
  const { setColorScheme } = useMantineColorScheme();
  const schemes = [
    { scheme: "light", icon: IconSun },
    { scheme: "dark", icon: IconMoon },
    { scheme: "auto", icon: IconDeviceDesktop },
  ] as const;
  const make = [
    { to: "/judges/new", label: judges.create },
    { to: "/policies/new", label: policies.create },
  ] as const;
  return [
    ...make
      .filter(() => canEdit)
      .map(({ to, label }) => ({
        id: to,
        label,
        leftSection: picture(IconPlus),
        onClick: () => void router.navigate({ to }),
      })),
    {
      id: "docs",
      label: t.docs,
      leftSection: picture(IconBook2),
      onClick: () => window.location.assign("/docs/"),
    },
    {
      id: "graphql",
      label: t.graphql,
      leftSection: picture(IconBrandGraphql),
      onClick: () => window.location.assign("/graphql"),
    },
    ...schemes.map(({ scheme, icon }) => ({
      id: scheme,
      label: shell.palette.theme(shell.theme[scheme]),
      keywords: shell.palette.themeKeywords,
      leftSection: picture(icon),
      onClick: () => setColorScheme(scheme),
    })),
    {
      id: "sign-out",
      label: shell.signOut,
      leftSection: picture(IconLogout),
      onClick: () => void signOut().then(() => router.navigate({ to: "/sign-in" }), tellFailure),
    },
  ];
}
