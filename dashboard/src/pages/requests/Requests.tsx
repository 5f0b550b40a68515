// What became of the account's requests: those that failed, and those that were charged.
import { Tabs } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "@/components/Page";
import { optional } from "@/logic/search";
import { requests as t } from "@/texts/requests";
import { Charged } from "./Charged";
import { Failed } from "./Failed";

const route = getRouteApi("/app/requests");

export function Requests() {
  const { tab = "failed", id } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={t.title} text={t.text}>
      <Tabs
        value={tab}
        keepMounted={false}
        activateTabWithKeyboard={false}
        onChange={(next) =>
          void navigate({ search: optional({ tab: next === "charged" ? ("charged" as const) : undefined, id }) })
        }
      >
        <Tabs.List mb="md" aria-label={t.title}>
          <Tabs.Tab value="failed">{t.tabs.failed}</Tabs.Tab>
          <Tabs.Tab value="charged">{t.tabs.charged}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="failed">
          <Failed />
        </Tabs.Panel>
        <Tabs.Panel value="charged">
          <Charged />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
