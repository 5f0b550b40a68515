// What is wrong with a form as a whole.
import { Alert } from "@mantine/core";
import { sentence } from "@/logic/format";
import { FindRequest } from "./FindRequest";

interface Props {
  message: string | undefined;
  /** What the message is of; if it was a request, it can be looked up. */
  error?: unknown;
}

export function FormAlert({ message, error }: Props) {
  return message ? (
    <Alert color="red" role="alert" py="xs" px="sm">
      {sentence(message)}
      <FindRequest error={error} mt={4} />
    </Alert>
  ) : null;
}
