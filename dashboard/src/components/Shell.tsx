// The frame of all pages: navigation, the balance as it changes, and who is signed in.
import "@/styles.css";
import {
  Alert,
  AppShell,
  Box,
  Burger,
  Group,
  Menu,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { cleanNotifications, Notifications } from "@mantine/notifications";
import {
  type Icon,
  IconBook2,
  IconHelp,
  IconBrandGraphql,
  IconChevronRight,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconPlugConnectedX,
  IconSelector,
  IconSun,
  IconVocabulary,
} from "@tabler/icons-react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useReachable } from "@/api/reachability";
import { signOut, useSetBalance, useViewer, viewerQuery } from "@/api/session";
import { reportSessionEnd } from "@/api/sessionEnd";
import { useSubscription } from "@/api/subscribe";
import { graphql } from "@/gql";
import { credits } from "@/logic/format";
import { maySee } from "@/logic/roles";
import { judgeQuery } from "@/pages/judge/query";
import { shell as t } from "@/texts/shell";
import { navigationFor, sectionOf } from "./navigation";
import { tellFailure } from "./notify";
import { PaletteButton } from "./palette/PaletteButton";

const BalanceSubscription = graphql(`
  subscription Balance {
    balanceChanged {
      id
      available
      held
      balance
    }
  }
`);

/** What the server answers itself, beside the dashboard. */
const REFERENCE = [
  { href: "/help/", text: t.pages.help, icon: IconHelp },
  { href: "/docs/", text: t.pages.docs, icon: IconBook2 },
  { href: "/graphql", text: t.pages.graphql, icon: IconBrandGraphql },
] as const;

/** The frame, for as long as somebody is signed in. */
export function Shell() {
  const { viewer } = useSuspenseQuery(viewerQuery).data;
  const signedIn = Boolean(viewer?.user);
  useEffect(() => {
    if (!signedIn) reportSessionEnd();
  }, [signedIn]);
  return signedIn ? <Frame /> : null;
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  const reachable = useReachable();
  const viewer = useViewer();
  const moderator = viewer.role === "MODERATOR";
  const path = useRouterState({ select: (state) => state.location.pathname });
  const section = useSection(path);
  const main = useRef<HTMLDivElement>(null);
  const first = useRef(true);
  useEffect(() => {
    close();
    // A new page begins at its top for the keyboard and for screen readers too.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the path is what it waits for
  }, [path, close]);
  // What one session was told is not for the next.
  useEffect(() => cleanNotifications, []);

  return (
    <AppShell
      layout="alt"
      navbar={{ width: 228, breakpoint: "sm", collapsed: { mobile: !opened } }}
      header={{ height: { base: 52, sm: 0 } }}
      padding={{ base: "md", md: "xl" }}
    >
      <a href="#content" className="skip-link">
        {t.skip}
      </a>
      <AppShell.Header hiddenFrom="sm" className="shell-header">
        <Group h="100%" px="md" justify="space-between">
          <Brand />
          <Burger
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? t.closeMenu : t.openMenu}
            aria-expanded={opened}
          />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="shell-navbar" aria-label={t.navigation}>
        <Group justify="space-between" px={10} pt={6} pb={10}>
          <Brand />
          <Burger opened={opened} onClick={close} size="sm" hiddenFrom="sm" aria-label={t.closeMenu} />
        </Group>
        <PaletteButton />
        <Box style={{ flex: 1, overflowY: "auto" }} className="nav-list">
          {navigationFor(viewer).map((group) => (
            <Box key={group.label ?? "start"}>
              {group.label && <div className="nav-group">{group.label}</div>}
              <Stack gap={2}>
                {group.links.map(({ to, text, icon }) => {
                  const active = to === section;
                  return (
                    <UnstyledButton
                      key={to}
                      component={Link}
                      to={to}
                      activeOptions={{ exact: true }}
                      className="nav-link"
                      data-active={active}
                      aria-current={active ? "page" : undefined}
                    >
                      <NavText icon={icon} text={text} />
                    </UnstyledButton>
                  );
                })}
              </Stack>
            </Box>
          ))}
          {!moderator &&
            REFERENCE.map(({ href, text, icon }) => (
              <UnstyledButton key={href} component="a" href={href} className="nav-link" display="block" mt={2}>
                <NavText icon={icon} text={text} />
              </UnstyledButton>
            ))}
        </Box>
        {!moderator && <Balance />}
        <UserMenu />
      </AppShell.Navbar>
      <AppShell.Main id="content" ref={main} tabIndex={-1} style={{ outline: "none" }}>
        {!reachable && (
          <Alert color="red" icon={<IconPlugConnectedX size={18} />} mb="md" role="alert">
            {t.unreachable}
          </Alert>
        )}
        <Outlet />
      </AppShell.Main>
      <Notifications position="bottom-right" autoClose={6000} />
    </AppShell>
  );
}

/**
 * Where in the navigation a path is. A moderation log is a Judge by its path, and is marked as what it is once it is
 * known.
 */
function useSection(path: string): string | undefined {
  const judgeId = /^\/judges\/([^/]+)/.exec(path)?.[1];
  const { data } = useQuery({ ...judgeQuery(judgeId ?? ""), enabled: false });
  if (judgeId && data?.judge?.moderationLog) return "/moderation";
  return sectionOf(path);
}

/** The picture and the text of a link in the navigation. */
function NavText({ icon: Picture, text }: { icon: Icon; text: string }) {
  return (
    <Group gap={10} wrap="nowrap">
      <Picture size={17} stroke={1.6} aria-hidden />
      <Text size="sm" inherit>
        {text}
      </Text>
    </Group>
  );
}

function Brand() {
  return (
    <Link to="/" className="brand" aria-label={t.product}>
      <img src="/favicon.svg" width={24} height={24} alt="" />
      <Text fw={650} size="lg" style={{ letterSpacing: "-0.01em" }}>
        {t.product}
      </Text>
    </Link>
  );
}

/** What can be spent, as it changes. */
function Balance() {
  const { account } = useViewer();
  const setBalance = useSetBalance();
  useSubscription(BalanceSubscription, {}, (data) => setBalance(data.balanceChanged));
  const amount = (
    <Link to="/ledger" className="balance">
      <Text component="span" fw={600} className="numeric" data-testid="balance">
        {credits(account.available)}
      </Text>{" "}
      <Text component="span" size="sm" c="dimmed">
        {t.credits}
      </Text>
    </Link>
  );
  return account.held > 0 ? <Tooltip label={t.heldCredits(credits(account.held))}>{amount}</Tooltip> : amount;
}

function UserMenu() {
  const viewer = useViewer();
  const { user, account } = viewer;
  const router = useRouter();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = () => signOut().then(() => router.navigate({ to: "/sign-in" }), tellFailure);
  const schemes = [
    { scheme: "light", icon: IconSun },
    { scheme: "dark", icon: IconMoon },
    { scheme: "auto", icon: IconDeviceDesktop },
  ] as const;
  return (
    <Menu width={206} position="top-start">
      <Menu.Target>
        <UnstyledButton
          className="nav-link"
          aria-label={t.userMenu}
          style={{ borderTop: "1px solid var(--hairline)", borderRadius: 0 }}
          py={10}
        >
          <Group wrap="nowrap" gap="xs" justify="space-between">
            <Box style={{ minWidth: 0 }}>
              <Text size="sm" fw={550} className="clip">
                {user?.email}
              </Text>
              {account.name !== user?.email && (
                <Text size="xs" c="dimmed" className="clip">
                  {account.name}
                </Text>
              )}
            </Box>
            <IconSelector size={15} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ scheme, icon: Picture }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Picture size={15} />}
            rightSection={colorScheme === scheme ? <IconChevronRight size={14} /> : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {t.theme[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {maySee(viewer, "/glossary") && (
          <Menu.Item
            leftSection={<IconVocabulary size={15} />}
            onClick={() => void router.navigate({ to: "/glossary" })}
          >
            {t.pages.glossary}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={leave}>
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
