// Who can sign in, with which role; and invitations.
import { Badge, Button, Group, Modal, Select, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { pagedQuery } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { Confirm } from "@/components/Confirm";
import { EmptyState } from "@/components/EmptyState";
import { FormAlert } from "@/components/FormAlert";
import { List } from "@/components/List";
import { tell, tellFailure, tellWithUndo } from "@/components/notify";
import { Page } from "@/components/Page";
import { ShownOnce } from "@/components/ShownOnce";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { PeopleQuery as Result, Role } from "@/gql/graphql";
import { people as t } from "@/texts/account";
import { moderators } from "@/texts/moderation";
import { shell } from "@/texts/shell";

const PeopleQuery = graphql(`
  query People {
    account {
      users(first: 100) {
        nodes {
          id
          email
          role
          createdAt
        }
      }
      invites(first: 100) {
        nodes {
          id
          email
          role
          createdAt
          expiresAt
        }
      }
    }
  }
`);
const SetRoleMutation = graphql(`
  mutation SetRole($input: SetRoleInput!) {
    setRole(input: $input) {
      user {
        id
        role
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const RemoveMutation = graphql(`
  mutation RemoveUser($id: ID!) {
    removeUser(input: { id: $id }) {
      removedUserId
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const InviteMutation = graphql(`
  mutation Invite($input: InviteUserInput!) {
    inviteUser(input: $input) {
      token
      mailed
      invite {
        id
        email
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);
const RevokeInviteMutation = graphql(`
  mutation RevokeInvite($id: ID!) {
    revokeInvite(input: { id: $id }) {
      revokedInviteId
      userErrors {
        field
        message
        code
      }
    }
  }
`);

type User = Result["account"]["users"]["nodes"][number];
type Invitation = Result["account"]["invites"]["nodes"][number];
const NAMES: Record<Role, string> = { ...t.roles, MODERATOR: moderators.role };
const TEXTS: Record<Role, string> = { ...t.roleTexts, MODERATOR: moderators.roleText };
const ROLES = (["OWNER", "EDITOR", "MODERATOR", "ANALYST"] as const).map((value) => ({ value, label: NAMES[value] }));

export function People() {
  const { role } = useViewer();
  const owner = role === "OWNER";
  const [inviting, { open, close }] = useDisclosure();
  const [link, setLink] = useState<string>();
  const show = (created: string) => {
    setLink(created);
    close();
  };
  const result = useQuery(pagedQuery(PeopleQuery));
  const revoke = useAction(RevokeInviteMutation);
  const invites = result.data?.account.invites.nodes ?? [];
  return (
    <Page
      title={t.title}
      text={t.text}
      actions={
        owner && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
            {t.invite}
          </Button>
        )
      }
    >
      <List<User>
        label={t.title}
        query={result}
        rows={result.data?.account.users}
        columns={[t.columns.email, t.columns.role, t.columns.joined, ""]}
        row={(user) => <Person key={user.id} user={user} owner={owner} />}
        empty={<EmptyState icon={IconUsers} title={t.title} text={t.text} />}
      />
      {invites.length > 0 && (
        <Stack mt="lg" gap="xs">
          <Title order={2}>{t.open}</Title>
          <List<Invitation>
            label={t.open}
            query={result}
            rows={result.data?.account.invites}
            columns={[t.columns.email, t.columns.role, t.expires, ""]}
            row={(invite) => (
              <Table.Tr key={invite.id}>
                <Table.Td>{invite.email}</Table.Td>
                <Table.Td>{NAMES[invite.role]}</Table.Td>
                <Table.Td>
                  <Time at={invite.expiresAt} />
                </Table.Td>
                <Table.Td ta="right">
                  {owner && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      onClick={() =>
                        revoke.mutate({ id: invite.id }, { onSuccess: () => tell(t.revoked), onError: tellFailure })
                      }
                    >
                      {t.revoke}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            )}
            empty={null}
          />
        </Stack>
      )}
      <Modal opened={inviting} onClose={close} title={t.form.title} closeOnClickOutside={false}>
        {inviting && <InviteForm onClose={close} onCreated={show} />}
      </Modal>
      <ShownOnce secret={link} texts={t.token} onClose={() => setLink(undefined)} />
    </Page>
  );
}

function Person({ user, owner }: { user: User; owner: boolean }) {
  const { user: me } = useViewer();
  const [asking, setAsking] = useState(false);
  const setRole = useAction(SetRoleMutation);
  const remove = useAction(RemoveMutation);
  const change = (role: Role) => {
    const before = user.role;
    setRole.mutate(
      { input: { userId: user.id, role } },
      {
        onSuccess: () =>
          tellWithUndo(t.roleSet(user.email, NAMES[role].toLowerCase()), () =>
            setRole.mutateAsync({ input: { userId: user.id, role: before } }),
          ),
        onError: tellFailure,
      },
    );
  };
  const shown = setRole.isPending ? setRole.variables.input.role : user.role;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <span>{user.email}</span>
          {user.id === me?.id && <Badge color="gray">{t.you}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td>
        {owner ? (
          <Select
            size="xs"
            w={130}
            aria-label={`${t.columns.role}: ${user.email}`}
            data={ROLES}
            value={shown}
            allowDeselect={false}
            onChange={(role) => role && role !== user.role && change(role as Role)}
          />
        ) : (
          <span title={TEXTS[user.role]}>{NAMES[user.role]}</span>
        )}
      </Table.Td>
      <Table.Td>
        <Time at={user.createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        {owner && user.id !== me?.id && (
          <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
            {t.remove}
          </Button>
        )}
        <Confirm
          opened={asking}
          title={t.removeTitle(user.email)}
          action={t.remove}
          danger
          loading={remove.isPending}
          error={remove.error}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            remove.mutate(
              { id: user.id },
              {
                onSuccess: () => {
                  setAsking(false);
                  tell(t.removed);
                },
              },
            )
          }
        >
          <Text size="sm">{t.removeText}</Text>
        </Confirm>
      </Table.Td>
    </Table.Tr>
  );
}

function InviteForm({ onClose, onCreated }: { onClose: () => void; onCreated: (link: string) => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("EDITOR");
  const invite = useAction(InviteMutation);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate(
      { input: { email, role } },
      {
        onSuccess: ({ inviteUser: { token, mailed } }) => {
          if (mailed) tell(t.mailed(email));
          onCreated(`${window.location.origin}/sign-up?${new URLSearchParams({ email, token: token ?? "" })}`);
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t.form.text}
        </Text>
        <FormAlert message={formError(invite.error, ["email", "role"])} error={invite.error} />
        <TextInput
          label={t.form.email}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(invite.error, "email")}
          data-autofocus
        />
        <Select
          label={t.form.role}
          description={TEXTS[role]}
          data={ROLES}
          value={role}
          allowDeselect={false}
          onChange={(value) => value && setRole(value as Role)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {shell.cancel}
          </Button>
          <Button type="submit" loading={invite.isPending} disabled={!email}>
            {t.form.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
