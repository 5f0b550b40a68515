// What the command palette always offers.
import { useMantineColorScheme } from "@mantine/core";
import type { SpotlightActionData } from "@mantine/spotlight";
import {
  IconBook2,
  IconHelp,
  IconBrandGraphql,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  type Icon,
} from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { signOut, useCanEdit } from "@/api/session";
import { judges } from "@/texts/judges";
import { policies } from "@/texts/policies";
import { shell } from "@/texts/shell";
import { tellFailure } from "../notify";

const t = shell.pages;

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
      id: "help",
      label: t.help,
      leftSection: picture(IconHelp),
      onClick: () => window.location.assign("/help/"),
    },
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
