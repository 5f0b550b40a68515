// What is wrong with a form as a whole.
import { Alert } from "@mantine/core";

export function FormAlert({ message }: { message: string | undefined }) {
  return message ? (
    <Alert color="red" role="alert" py="xs" px="sm">
      {message}
    </Alert>
  ) : null;
}
