// What may lie over every page: the dialog of a session that has ended, and the command palette. The code of each is
// fetched when it is first needed.
import { useHotkeys } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { viewerQuery } from "@/api/session";
import { useSessionEnded } from "@/api/sessionEnd";

const SessionDialog = lazy(async () => ({ default: (await import("./SessionDialog")).SessionDialog }));
const Palette = lazy(async () => ({ default: (await import("./palette/Palette")).Palette }));

export function Overlays() {
  const ended = useSessionEnded();
  const client = useQueryClient();
  const entering = useRouterState({ select: (state) => /^\/(sign-|reset-password)/.test(state.location.pathname) });
  const [palette, setPalette] = useState(false);
  const open = () => Boolean(client.getQueryData(viewerQuery.queryKey)?.viewer) && setPalette(true);
  // Once it is loaded, the palette listens itself.
  useHotkeys([["mod+K", () => void open()]], []);
  return (
    <>
      <Outlet />
      <Suspense>
        {ended && !entering && <SessionDialog />}
        {palette && !entering && <Palette />}
      </Suspense>
    </>
  );
}
