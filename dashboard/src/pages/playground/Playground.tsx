// Every endpoint, with its answer explained and the program that asks the same.
import { Tabs } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "@/components/Page";
import { playground as t } from "@/texts/playground";
import { BatchTab } from "./BatchTab";
import { ImageTab } from "./ImageTab";
import { InferenceTab } from "./InferenceTab";
import { TextTab } from "./TextTab";

const route = getRouteApi("/app/playground");
type Tab = keyof typeof t.tabs;

export function Playground() {
  const { tab = "text" } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (value: string | null) =>
    void navigate({ search: value && value !== "text" ? { tab: value as Exclude<Tab, "text"> } : {} });
  return (
    <Page title={t.title} text={t.text}>
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="md">
          {(Object.keys(t.tabs) as Tab[]).map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t.tabs[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="text">
          <TextTab />
        </Tabs.Panel>
        <Tabs.Panel value="batch">
          <BatchTab />
        </Tabs.Panel>
        <Tabs.Panel value="image">
          <ImageTab />
        </Tabs.Panel>
        <Tabs.Panel value="inference">
          <InferenceTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
