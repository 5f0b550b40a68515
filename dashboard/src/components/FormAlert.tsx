// What is wrong with a form as a whole.
import { Alert } from "@mantine/core";
import { sentence } from "@/logic/format";

export function FormAlert({ message }: { message: string | undefined }) {
  return message ? (
    <Alert color="red" role="alert" py="xs" px="sm">
      {sentence(message)}
    </Alert>
  ) : null;
}
