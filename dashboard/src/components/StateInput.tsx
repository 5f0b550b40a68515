// What a Judge is asked about: text or JSON, or the fields of its schema.
import { Group, NumberInput, SegmentedControl, Select, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { type StateField, readObject, stateFields, withMember } from "@/logic/stateSchema";
import { judges } from "@/texts/judges";
import { Rich } from "./Rich";

const t = judges.tryOut;

interface Props {
  /** The schema of the Judge's states; null for none. */
  schema: unknown;
  /** The state as text. */
  value: string;
  onChange: (value: string) => void;
}

export function StateInput({ schema, value, onChange }: Props) {
  const fields = stateFields(schema);
  const [asJson, setAsJson] = useState(false);
  const object = readObject(value);
  if (!fields)
    return <StateText label={t.state} value={value} onChange={onChange} hint={schema ? t.stateChecked : t.stateHint} />;
  // A text that is no object stays as it is typed.
  const showsForm = !asJson && object !== undefined;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {t.state}
        </Text>
        <SegmentedControl
          size="xs"
          value={showsForm ? "form" : "json"}
          onChange={(kind) => setAsJson(kind === "json")}
          data={[
            { value: "form", label: t.form, disabled: object === undefined },
            { value: "json", label: t.json },
          ]}
          aria-label={t.state}
        />
      </Group>
      {showsForm ? (
        fields.map((field) => (
          <FieldInput
            key={field.key}
            field={field}
            value={object[field.key]}
            onChange={(member) => onChange(withMember(object, field.key, member))}
          />
        ))
      ) : (
        <StateText value={value} onChange={onChange} hint={t.stateChecked} />
      )}
    </Stack>
  );
}

interface TextProps extends Omit<Props, "schema"> {
  /** Unless the text has a heading. */
  label?: string;
  hint: string;
}

function StateText({ label, value, onChange, hint }: TextProps) {
  return (
    <Textarea
      label={label}
      aria-label={t.state}
      description={<Rich text={hint} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={6}
      maxRows={18}
    />
  );
}

interface FieldProps {
  field: StateField;
  value: unknown;
  onChange: (value: unknown) => void;
}

function FieldInput({ field, value, onChange }: FieldProps) {
  const common = { label: field.label, description: field.hint, withAsterisk: field.required };
  switch (field.kind) {
    case "number":
      return <NumberInput {...common} value={typeof value === "number" ? value : ""} onChange={onChange} />;
    case "boolean":
      return (
        <Select
          {...common}
          data={[
            { value: "true", label: t.yes },
            { value: "false", label: t.no },
          ]}
          value={typeof value === "boolean" ? String(value) : null}
          onChange={(chosen) => onChange(chosen === null ? undefined : chosen === "true")}
          clearable
        />
      );
    case "one of":
      return (
        <Select
          {...common}
          data={field.values}
          value={typeof value === "string" ? value : null}
          onChange={(chosen) => onChange(chosen ?? undefined)}
          clearable
        />
      );
    case "text":
      return (
        <Textarea
          {...common}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.currentTarget.value)}
          autosize
          minRows={1}
          maxRows={12}
        />
      );
  }
}
