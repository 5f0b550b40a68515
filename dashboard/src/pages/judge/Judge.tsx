// The frame of a Judge's pages: its name, its state, its tabs.
import { ActionIcon, Alert, Badge, Group, Menu, Tabs, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconArchive, IconArchiveOff, IconCopy, IconCopyPlus, IconDots, IconGavel } from "@tabler/icons-react";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { useCanEdit } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink } from "@/components/links";
import { tell, tellFailure, tellWithUndo } from "@/components/notify";
import { Page } from "@/components/Page";
import { SaveAsJudge } from "@/components/SaveAsJudge";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { NAME_CHARS } from "@/logic/limits";
import { judges as t } from "@/texts/judges";
import { shell } from "@/texts/shell";
import { type JudgeData, useJudgeQuery } from "./query";

const ArchiveMutation = graphql(`
  mutation ArchiveJudge($id: ID!) {
    archiveJudge(input: { id: $id }) {
      judge {
        id
        archived
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const UnarchiveMutation = graphql(`
  mutation UnarchiveJudge($id: ID!) {
    unarchiveJudge(input: { id: $id }) {
      judge {
        id
        archived
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const TABS = [
  { key: "try", to: "/judges/$judgeId" },
  { key: "questions", to: "/judges/$judgeId/questions" },
  { key: "dataset", to: "/judges/$judgeId/dataset" },
  { key: "review", to: "/judges/$judgeId/review" },
  { key: "analytics", to: "/judges/$judgeId/analytics" },
  { key: "checkpoints", to: "/judges/$judgeId/checkpoints" },
  { key: "evaluations", to: "/judges/$judgeId/evaluations" },
] as const;

export function Judge() {
  const { judge } = useJudgeQuery().data;
  if (!judge) {
    return (
      <EmptyState icon={IconGavel} title={t.missing.title} text={t.missing.text}>
        <ButtonLink to="/judges" variant="default">
          {t.missing.back}
        </ButtonLink>
      </EmptyState>
    );
  }
  return <Frame judge={judge} />;
}

/** A moderation log is a dataset alone: it is neither asked, nor trained. */
const LOG_TABS = TABS.filter(({ key }) => ["dataset", "review", "analytics"].includes(key));

function Frame({ judge }: { judge: JudgeData }) {
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const current = TABS.find((tab) => tab.key !== "try" && path.endsWith(`/${tab.key}`))?.key ?? "try";
  const tabs = judge.moderationLog ? LOG_TABS : TABS;
  const heading = (
    <Group component="span" gap="xs" wrap="wrap">
      <span style={{ overflowWrap: "anywhere" }}>{judge.name}</span>
      <Badge color="gray" component="span">
        {t.version(judge.version)}
      </Badge>
      {judge.activeCheckpoint && <Badge component="span">{t.active}</Badge>}
    </Group>
  );
  return (
    <Page
      title={judge.name}
      heading={heading}
      text={judge.description || undefined}
      actions={<Actions judge={judge} />}
    >
      {judge.archived && (
        <Alert color="gray" mb="md">
          {t.archivedNote}
        </Alert>
      )}
      <Tabs
        value={current}
        mb="lg"
        activateTabWithKeyboard={false}
        onChange={(key) => {
          const tab = TABS.find((one) => one.key === key);
          if (tab) void navigate({ to: tab.to, params: { judgeId: judge.id } });
        }}
      >
        <Tabs.List className="scroll-tabs" aria-label={judge.name}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.key} value={tab.key} aria-controls="judge-page">
              {t.tabs[tab.key]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <div id="judge-page" role="tabpanel" aria-label={t.tabs[current]}>
        <Outlet />
      </div>
    </Page>
  );
}

function Actions({ judge }: { judge: JudgeData }) {
  const canEdit = useCanEdit();
  const clipboard = useClipboard();
  const [asking, setAsking] = useState(false);
  const [copying, setCopying] = useState(false);
  const archive = useAction(ArchiveMutation);
  const unarchive = useAction(UnarchiveMutation);
  const copy = (value: string) => {
    clipboard.copy(value);
    tell(shell.copied);
  };
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={34} aria-label={t.more}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={15} />} onClick={() => copy(judge.id)}>
            {t.copyId}
          </Menu.Item>
          {!judge.moderationLog && (
            <Menu.Item leftSection={<IconCopy size={15} />} onClick={() => copy(judge.endpoint)}>
              {t.copyEndpoint}
            </Menu.Item>
          )}
          {canEdit && !judge.moderationLog && (
            <>
              <Menu.Item leftSection={<IconCopyPlus size={15} />} onClick={() => setCopying(true)}>
                {t.duplicate.action}
              </Menu.Item>
              <Menu.Divider />
              {judge.archived ? (
                <Menu.Item
                  leftSection={<IconArchiveOff size={15} />}
                  onClick={() =>
                    unarchive.mutate({ id: judge.id }, { onSuccess: () => tell(t.unarchiveDone), onError: tellFailure })
                  }
                >
                  {t.unarchive}
                </Menu.Item>
              ) : (
                <Menu.Item leftSection={<IconArchive size={15} />} onClick={() => setAsking(true)}>
                  {t.archive}
                </Menu.Item>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <SaveAsJudge
        opened={copying}
        onClose={() => setCopying(false)}
        texts={t.duplicate}
        source={{
          name: t.duplicate.name(judge.name.slice(0, NAME_CHARS - t.duplicate.name("").length)),
          description: judge.description,
          storeContent: judge.storeContent,
          instructions: judge.instructions,
          parameters: judge.parameters,
          stateSchema: judge.stateSchema,
        }}
      />
      <Confirm
        opened={asking}
        title={t.archiveTitle(judge.name)}
        action={t.archive}
        loading={archive.isPending}
        error={archive.error}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          archive.mutate(
            { id: judge.id },
            {
              onSuccess: () => {
                setAsking(false);
                tellWithUndo(t.archiveDone, () => unarchive.mutateAsync({ id: judge.id }));
              },
            },
          )
        }
      >
        <Text size="sm">{t.archiveText}</Text>
      </Confirm>
    </>
  );
}
