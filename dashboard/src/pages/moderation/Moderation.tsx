// The frame of the moderation pages: the queue, insights, and the settings of the log.
import { Tabs } from "@mantine/core";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useViewer } from "@/api/session";
import { Page } from "@/components/Page";
import { isForModerators } from "@/logic/roles";
import { moderation as t } from "@/texts/moderation";
import "./moderation.css";

const TABS = [
  { key: "queue", to: "/moderation" },
  { key: "insights", to: "/moderation/insights" },
  { key: "settings", to: "/moderation/settings" },
] as const;

export function Moderation() {
  const { role } = useViewer();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const current = TABS.find((tab) => path.endsWith(`/${tab.key}`))?.key ?? "queue";
  const tabs = TABS.filter(({ to }) => role !== "MODERATOR" || isForModerators(to));
  return (
    <Page title={t.title} text={t.text}>
      <Tabs
        value={current}
        mb="md"
        activateTabWithKeyboard={false}
        onChange={(key) => {
          const tab = TABS.find((one) => one.key === key);
          if (tab) void navigate({ to: tab.to });
        }}
      >
        <Tabs.List className="scroll-tabs" aria-label={t.title}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.key} value={tab.key} aria-controls="moderation-page">
              {t.tabs[tab.key]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <div id="moderation-page" className="moderation" data-tab={current} role="tabpanel" aria-label={t.tabs[current]}>
        <Outlet />
      </div>
    </Page>
  );
}
