// Signs in again over the page, which stays as it was left.
import "@/styles.css";
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { fieldError, formError } from "@/api/errors";
import { forgetSession, resumeSession, viewerQuery } from "@/api/session";
import { entry } from "@/texts/entry";
import { FormAlert } from "./FormAlert";
import { GuardedButton } from "./GuardedButton";
import { SignInMutation, useEntry } from "./useEntry";

const t = entry.ended;

export function SessionDialog() {
  const router = useRouter();
  const user = useQueryClient().getQueryData(viewerQuery.queryKey)?.viewer?.user;
  const [email, setEmail] = useState(user?.email ?? "");
  const [password, setPassword] = useState("");
  const action = useEntry(SignInMutation);
  const leave = () => {
    forgetSession();
    void router.navigate({ to: "/sign-in", ignoreBlocker: true });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(
      { input: { email, password } },
      {
        onSuccess: ({ signIn }) => {
          if (signIn.viewer?.user?.id === user?.id) return resumeSession();
          // The page belongs to another person.
          forgetSession();
          return router.navigate({ to: "/", ignoreBlocker: true });
        },
      },
    );
  };
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={t.title}
      size={400}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      zIndex={500}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm">{t.text}</Text>
          <FormAlert message={formError(action.error, ["email", "password"])} />
          <TextInput
            label={entry.email}
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={fieldError(action.error, "email")}
          />
          <PasswordInput
            label={entry.password}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fieldError(action.error, "password")}
            data-autofocus
          />
          <Text size="sm" c="dimmed" role="status" hidden={!action.checking}>
            {action.checking && entry.checking}
          </Text>
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={leave}>
              {t.leave}
            </Button>
            <GuardedButton type="submit" loading={action.isPending} why={(!email || !password) && entry.missing}>
              {entry.signIn.submit}
            </GuardedButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
