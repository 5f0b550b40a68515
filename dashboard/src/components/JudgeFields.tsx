// The name, the description and the recording of a Judge, in the forms that make and edit one.
import { Checkbox, TextInput, Textarea } from "@mantine/core";
import { fieldError } from "@/api/errors";
import { DESCRIPTION_CHARS, tooManyChars } from "@/logic/limits";

interface Values {
  name: string;
  description: string;
  store: boolean;
}

interface JudgeFieldsProps {
  values: Values;
  onChange: (values: Values) => void;
  /** Why the server refused the form. */
  error: unknown;
  texts: { name: string; description: string; store: string; storeHint: string };
}

export function JudgeFields({ values, onChange, error, texts }: JudgeFieldsProps) {
  return (
    <>
      <TextInput
        label={texts.name}
        value={values.name}
        onChange={(event) => onChange({ ...values, name: event.currentTarget.value })}
        error={fieldError(error, "name")}
        maxLength={100}
      />
      <Textarea
        label={texts.description}
        value={values.description}
        onChange={(event) => onChange({ ...values, description: event.currentTarget.value })}
        error={tooManyChars(values.description, DESCRIPTION_CHARS) ?? fieldError(error, "description")}
        autosize
        minRows={1}
        maxRows={5}
      />
      <Checkbox
        label={texts.store}
        description={texts.storeHint}
        checked={values.store}
        onChange={(event) => onChange({ ...values, store: event.currentTarget.checked })}
      />
    </>
  );
}
