// One moderation policy: its rules, a dry run, its versions, and the keys that follow it.
import { ActionIcon, Alert, Badge, Button, Group, Menu, Stack, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconArchive, IconArchiveOff, IconCopy, IconDots, IconShieldHalf } from "@tabler/icons-react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { query } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink } from "@/components/links";
import { tell, tellFailure, tellWithUndo } from "@/components/notify";
import { Page } from "@/components/Page";
import { useDiscard } from "@/components/UnsavedChanges";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { PolicyQuery as Result } from "@/gql/graphql";
import type { Rules } from "@/logic/policyRules";
import { policies as t } from "@/texts/policies";
import { shell } from "@/texts/shell";
import { PolicyForm } from "./PolicyForm";
import { PolicyKeys } from "./PolicyKeys";
import { PolicyShadow } from "./PolicyShadow";
import { PolicyVersions } from "./PolicyVersions";

const PolicyQuery = graphql(`
  query Policy($id: ID!) {
    moderationPolicy(id: $id) {
      id
      name
      description
      version
      archived
      rules
      shadow {
        version
        createdAt
        outcomes {
          live
          shadow
          messages
        }
      }
    }
  }
`);
const ShadowMutation = graphql(`
  mutation ShadowPolicy($input: ShadowModerationPolicyInput!) {
    shadowModerationPolicy(input: $input) {
      moderationPolicy {
        id
        shadow {
          version
        }
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const UpdateMutation = graphql(`
  mutation UpdatePolicy($input: UpdateModerationPolicyInput!) {
    updateModerationPolicy(input: $input) {
      moderationPolicy {
        id
        version
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const ArchiveMutation = graphql(`
  mutation ArchivePolicy($id: ID!) {
    archiveModerationPolicy(input: { id: $id }) {
      moderationPolicy {
        id
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
  mutation UnarchivePolicy($id: ID!) {
    unarchiveModerationPolicy(input: { id: $id }) {
      moderationPolicy {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

type PolicyData = NonNullable<Result["moderationPolicy"]>;
const route = getRouteApi("/app/policies/$policyId");

export function Policy() {
  const { policyId } = route.useParams();
  const { data, refetch } = useSuspenseQuery(query(PolicyQuery, { id: policyId }));
  const policy = data.moderationPolicy;
  if (!policy) {
    return (
      <EmptyState icon={IconShieldHalf} title={t.missing.title} text={t.missing.text}>
        <ButtonLink to="/policies" variant="default">
          {t.missing.back}
        </ButtonLink>
      </EmptyState>
    );
  }
  const heading = (
    <Group component="span" gap="xs" wrap="wrap">
      <span style={{ overflowWrap: "anywhere" }}>{policy.name}</span>
      <Badge color="gray" component="span">
        {t.version(policy.version)}
      </Badge>
    </Group>
  );
  return (
    <Page
      title={policy.name}
      heading={heading}
      text={policy.description || undefined}
      actions={<Actions policy={policy} />}
    >
      {policy.archived && (
        <Alert color="gray" mb="md">
          {t.actions.archivedNote}
        </Alert>
      )}
      <Editor
        key={policy.id}
        policy={policy}
        refetch={() => refetch().then((result) => result.data?.moderationPolicy ?? undefined)}
      />
    </Page>
  );
}

function Editor({ policy, refetch }: { policy: PolicyData; refetch: () => Promise<PolicyData | undefined> }) {
  const canEdit = useCanEdit() && !policy.archived;
  const [dirty, setDirty] = useState(false);
  // What was there when editing began: the server refuses the change when somebody else was faster.
  const [start, setStart] = useState<{ policy: PolicyData; from?: Rules; generation: number }>({
    policy,
    generation: 0,
  });
  const begin = (base: PolicyData, from?: Rules) =>
    setStart(({ generation }) => ({ policy: base, from, generation: generation + 1 }));
  const update = useAction(UpdateMutation);
  const shadow = useAction(ShadowMutation);
  const restart = async () => {
    const newest = await refetch();
    update.reset();
    shadow.reset();
    begin(newest ?? policy);
  };
  const discard = useDiscard(dirty);
  const editFrom = (from: Rules) => discard.ask(() => begin(policy, from));
  return (
    <div className="two-columns">
      {discard.dialog}
      <PolicyForm
        key={start.generation}
        initial={{ name: start.policy.name, description: start.policy.description, rules: start.policy.rules as Rules }}
        from={start.from}
        canEdit={canEdit}
        submit={t.edit.save}
        save={update}
        onDirty={setDirty}
        shadow={{
          save: shadow,
          onSubmit: (rules) =>
            shadow.mutate(
              { input: { id: policy.id, rules } },
              {
                onSuccess: async ({ shadowModerationPolicy }) => {
                  await restart();
                  tell(t.shadow.started(shadowModerationPolicy.moderationPolicy?.shadow?.version ?? 0));
                },
              },
            ),
        }}
        onSubmit={({ name, description, rules }, newRules) =>
          update.mutate(
            {
              input: {
                id: policy.id,
                version: start.policy.version,
                name,
                description,
                ...(newRules ? { rules } : {}),
              },
            },
            {
              onSuccess: async ({ updateModerationPolicy }) => {
                await restart();
                tell(
                  newRules
                    ? t.edit.saved(updateModerationPolicy.moderationPolicy?.version ?? policy.version)
                    : t.edit.savedSame,
                );
              },
            },
          )
        }
        cancel={
          dirty && (
            <Button variant="subtle" color="gray" onClick={() => void restart()}>
              {t.edit.discard}
            </Button>
          )
        }
        conflict={
          <Alert color="yellow" role="alert">
            <Text size="sm" mb="xs">
              {t.edit.conflict}
            </Text>
            <Button size="xs" variant="default" onClick={() => void restart()}>
              {t.edit.reload}
            </Button>
          </Alert>
        }
      />
      <Stack gap="md" miw={0}>
        {policy.shadow && (
          <PolicyShadow policyId={policy.id} shadow={policy.shadow} canEdit={canEdit} onEnd={() => void restart()} />
        )}
        <PolicyVersions policyId={policy.id} current={policy.version} onEdit={canEdit ? editFrom : undefined} />
        <PolicyKeys policyId={policy.id} canEdit={canEdit} />
      </Stack>
    </div>
  );
}

function Actions({ policy }: { policy: PolicyData }) {
  const canEdit = useCanEdit();
  const clipboard = useClipboard();
  const [asking, setAsking] = useState(false);
  const archive = useAction(ArchiveMutation);
  const unarchive = useAction(UnarchiveMutation);
  const copy = () => {
    clipboard.copy(policy.id);
    tell(shell.copied);
  };
  const close = () => {
    setAsking(false);
    archive.reset();
  };
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={34} aria-label={t.actions.more}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={15} />} onClick={copy}>
            {t.actions.copyId}
          </Menu.Item>
          {canEdit &&
            (policy.archived ? (
              <Menu.Item
                leftSection={<IconArchiveOff size={15} />}
                onClick={() =>
                  unarchive.mutate(
                    { id: policy.id },
                    { onSuccess: () => tell(t.actions.unarchiveDone), onError: tellFailure },
                  )
                }
              >
                {t.actions.unarchive}
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconArchive size={15} />} onClick={() => setAsking(true)}>
                {t.actions.archive}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        title={t.actions.archiveTitle(policy.name)}
        action={t.actions.archive}
        loading={archive.isPending}
        error={archive.error}
        onClose={close}
        onConfirm={() =>
          archive.mutate(
            { id: policy.id },
            {
              onSuccess: () => {
                close();
                tellWithUndo(t.actions.archiveDone, () => unarchive.mutateAsync({ id: policy.id }));
              },
            },
          )
        }
      >
        <Text size="sm">{t.actions.archiveText}</Text>
      </Confirm>
    </>
  );
}
