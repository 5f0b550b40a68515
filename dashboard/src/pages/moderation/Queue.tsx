// The moderation queue: a list of messages, on each of which one key decides.
import { ActionIcon, Alert, Card, Checkbox, Drawer, Group, Switch, Tooltip } from "@mantine/core";
import { useDisclosure, useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { IconKeyboard } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useCanModerate } from "@/api/session";
import { ErrorCard } from "@/components/PageError";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { filterOf } from "@/logic/moderationFilter";
import { moderation, queue as t } from "@/texts/moderation";
import { BulkBar } from "./BulkBar";
import { KeysHelp } from "./KeysHelp";
import { LastDecision } from "./LastDecision";
import { LogOff, Nothing } from "./Nothing";
import { Pages } from "./Pages";
import { Panel, SidePanel } from "./Panel";
import { QueueRow } from "./QueueRow";
import { Filters } from "./filters/Filters";
import { useQueue } from "./useQueue";
import { useQueueCommands } from "./useQueueCommands";
import { useQueueKeys } from "./useQueueKeys";
import { useSelection } from "./useSelection";

const route = getRouteApi("/app/moderation/");

export function Queue() {
  const search = route.useSearch();
  const canDecide = useCanModerate();
  const wide = useMediaQuery("(min-width: 75em)", true, { getInitialValueInEffect: false });
  const [blind, setBlind] = useLocalStorage({
    key: "gavel-moderation-blind",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  // The order by severity would tell the verdict.
  const order = search.order ?? (blind ? "NEWEST_FIRST" : "MOST_SEVERE_FIRST");
  const state = useQueue({ ...search, order });
  const { result, log, shown, focused, total } = state;
  const selection = useSelection(JSON.stringify(search), shown);
  const [help, { open: openHelp, close: closeHelp }] = useDisclosure();
  const [drawer, { open: openDrawer, close: closeDrawer }] = useDisclosure();
  const commands = useQueueCommands({
    state,
    selection,
    canDecide,
    blind,
    wide,
    panelOpened: drawer && !wide,
    openPanel: openDrawer,
    openHelp,
  });
  useQueueKeys(commands.run);

  if (result.error && !result.data) return <ErrorCard error={result.error} onRetry={() => void result.refetch()} />;
  if (result.data && !log) return <LogOff />;
  const panel = {
    state,
    message: focused,
    blind,
    canDecide,
    onDecide: commands.decide,
    onDone: () => (wide ? commands.focusRow() : closeDrawer()),
  };
  return (
    <>
      {log && !log.storeContent && (
        <Alert color="yellow" mb="sm" py="xs">
          {moderation.recordingOff}
        </Alert>
      )}
      <Filters order={order} />
      <Group justify="space-between" gap="xs" mb={6} mih={28}>
        <Group gap="md" pl={17}>
          {canDecide && shown.length > 0 && (
            <Checkbox
              size="xs"
              label={t.bulk.page}
              checked={selection.number === shown.length}
              indeterminate={selection.number > 0 && selection.number < shown.length}
              onChange={selection.number === shown.length ? selection.clear : selection.selectPage}
            />
          )}
          <Tooltip label={t.blindHint} multiline w={280}>
            <Switch
              size="xs"
              label={t.blind}
              checked={blind}
              onChange={(event) => setBlind(event.currentTarget.checked)}
            />
          </Tooltip>
        </Group>
        <Group gap="sm">
          <Tooltip label={t.keys}>
            <ActionIcon variant="default" aria-label={t.keys} onClick={openHelp}>
              <IconKeyboard size={16} />
            </ActionIcon>
          </Tooltip>
          <Pages state={state} />
        </Group>
      </Group>
      {log && selection.number > 0 && (
        <BulkBar
          logId={log.id}
          search={search}
          selected={selection.all ? "all" : selection.ids}
          total={total}
          more={total > shown.length}
          onAll={selection.selectAll}
          onClear={selection.clear}
        />
      )}
      <div className="queue-columns">
        <div style={{ minWidth: 0 }}>
          <Card className="table-card queue-card">
            {!result.data && <RowsSkeleton rows={8} />}
            {result.data && shown.length === 0 && <Nothing search={search} total={total} />}
            <ul className="queue-list" aria-label={t.list} data-stale={result.isPlaceholderData || undefined}>
              {shown.map((message) => (
                <QueueRow
                  key={message.id}
                  message={message}
                  decision={state.decided.find((one) => one.row.id === message.id)?.action}
                  focused={message.id === focused?.id}
                  selected={selection.all || selection.ids.includes(message.id)}
                  canDecide={canDecide}
                  blind={blind}
                  hasDraft={state.draftOf(message.id).note.trim() !== ""}
                  filter={filterOf(search)}
                  onFocus={() => message.id !== focused?.id && state.focus(message.id)}
                  onSelect={() => selection.toggle(message.id)}
                  onOpen={() => {
                    state.focus(message.id);
                    if (!wide) openDrawer();
                  }}
                />
              ))}
            </ul>
          </Card>
          <LastDecision decided={state.decided} onUndo={commands.undo} />
        </div>
        {wide && log && <SidePanel {...panel} />}
      </div>
      <Drawer
        opened={drawer && !wide}
        onClose={closeDrawer}
        position="right"
        size={460}
        title={t.panel.title}
        closeButtonProps={{ "aria-label": t.panel.close }}
        className="queue-drawer"
      >
        <Panel {...panel} />
      </Drawer>
      <KeysHelp opened={help} onClose={closeHelp} />
    </>
  );
}
