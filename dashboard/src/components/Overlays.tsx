// What may lie over every page: the dialog of a session that has ended, and the command palette. The code of both is
// fetched when it is first needed.
import { useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { viewerQuery } from "@/api/session";
import { useSessionEnded } from "@/api/sessionEnd";
import { callPalette, usePaletteCalls } from "./palette/call";

const SessionDialog = lazy(async () => ({ default: (await import("./SessionDialog")).SessionDialog }));
const Palette = lazy(async () => ({ default: (await import("./palette/Palette")).Palette }));

export function Overlays() {
  const ended = useSessionEnded();
  const signedIn = Boolean(useQuery({ ...viewerQuery, enabled: false }).data?.viewer);
  const entering = useRouterState({ select: (state) => /^\/(sign-|reset-password)/.test(state.location.pathname) });
  const called = usePaletteCalls() > 0;
  // Once it is loaded, the palette listens itself.
  useHotkeys([["mod+K", () => void (called || (signedIn && callPalette()))]], []);
  return (
    <>
      <Outlet />
      <Suspense>
        {ended && !entering && <SessionDialog />}
        {called && signedIn && !entering && <Palette />}
      </Suspense>
    </>
  );
}
