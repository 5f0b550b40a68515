// A field that searches as one types, and follows the URL: what is cleared there is cleared here.
import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

interface Props extends Omit<TextInputProps, "value" | "onChange" | "leftSection"> {
  /** What the list is searched for. */
  value: string | undefined;
  /** Is called when typing pauses. */
  onSearch: (value: string | undefined) => void;
}

export function SearchField({ value = "", onSearch, ...field }: Props) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((next: string) => {
    sent.current = next;
    onSearch(next || undefined);
  }, 300);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      {...field}
      leftSection={<IconSearch size={15} />}
      maxLength={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}
