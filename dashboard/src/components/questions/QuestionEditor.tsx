// Edits a list of typed questions.
import { ActionIcon, Button, Card, Group, Input, Select, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash, IconX } from "@tabler/icons-react";
import { type Draft, type Option, type QuestionType, newDraft, problems } from "@/logic/instructions";
import { questions as t } from "@/texts/questions";

interface Props {
  drafts: Draft[];
  onChange: (drafts: Draft[]) => void;
  compact?: boolean;
}

export function QuestionEditor({ drafts, onChange, compact }: Props) {
  const found = problems(drafts);
  const set = (index: number, draft: Draft) => onChange(drafts.with(index, draft));
  const move = (index: number, by: number) => {
    const moved = drafts.toSpliced(index, 1);
    const draft = drafts[index];
    if (draft) onChange(moved.toSpliced(index + by, 0, draft));
  };
  return (
    <Stack gap="sm">
      {drafts.map((draft, index) => (
        <Card key={draft.id} p="sm" radius="md" component="fieldset" aria-label={t.numbered(index + 1)} m={0}>
          <Stack gap="xs">
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                label={t.key}
                value={draft.key}
                onChange={(event) => set(index, { ...draft, key: event.currentTarget.value })}
                error={draft.key !== "" && problemOf(found, draft, "key")}
                style={{ flex: 1, minWidth: 0 }}
                spellCheck={false}
              />
              <Select
                label={t.type}
                w={124}
                value={draft.type}
                allowDeselect={false}
                data={(Object.keys(t.types) as QuestionType[]).map((type) => ({ value: type, label: t.types[type] }))}
                onChange={(type) => set(index, withType(draft, type as QuestionType))}
              />
              {!compact && (
                <Group gap={2} wrap="nowrap" pb={4} visibleFrom="sm">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t.up}
                    disabled={index === 0}
                    onClick={() => move(index, -1)}
                  >
                    <IconArrowUp size={15} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t.down}
                    disabled={index === drafts.length - 1}
                    onClick={() => move(index, 1)}
                  >
                    <IconArrowDown size={15} />
                  </ActionIcon>
                </Group>
              )}
              <ActionIcon
                mb={4}
                variant="subtle"
                color="gray"
                aria-label={t.remove}
                disabled={drafts.length === 1}
                title={drafts.length === 1 ? t.lastQuestion : undefined}
                onClick={() => onChange(drafts.toSpliced(index, 1))}
              >
                <IconTrash size={15} />
              </ActionIcon>
            </Group>
            <Textarea
              label={t.text}
              placeholder={t.textPlaceholder}
              autosize
              minRows={1}
              maxRows={6}
              value={draft.text}
              onChange={(event) => set(index, { ...draft, text: event.currentTarget.value })}
            />
            {draft.type !== "noul" && (
              <Options
                draft={draft}
                error={problemOf(found, draft, "options")}
                onChange={(options) => set(index, { ...draft, options })}
              />
            )}
          </Stack>
        </Card>
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...drafts, newDraft({ key: freeKey(drafts), options: blank(2) })])}
        >
          {t.add}
        </Button>
      </Group>
    </Stack>
  );
}

function problemOf(found: ReturnType<typeof problems>, draft: Draft, field: "key" | "options") {
  const problem = found.find((one) => one.id === draft.id && one.field === field);
  return problem && t.problems[problem.kind];
}

function withType(draft: Draft, type: QuestionType): Draft {
  const options = type !== "noul" && draft.options.length < 2 ? blank(type === "score" ? 3 : 2) : draft.options;
  return { ...draft, type, options };
}

const blank = (number: number): Option[] => Array.from({ length: number }, () => ({ name: "", text: "" }));

function freeKey(drafts: Draft[]): string {
  for (let number = drafts.length + 1; ; number += 1) {
    if (!drafts.some((draft) => draft.key === `q${number}`)) return `q${number}`;
  }
}

function Options({
  draft,
  error,
  onChange,
}: {
  draft: Draft;
  error: string | undefined;
  onChange: (options: Option[]) => void;
}) {
  const levels = draft.type === "score";
  const set = (index: number, option: Option) => onChange(draft.options.with(index, option));
  return (
    <Input.Wrapper
      label={levels ? t.levels : t.options}
      labelElement="div"
      error={draft.options.some((option) => option.name) && error}
    >
      <Stack gap={6} mb={6}>
        {draft.options.map((option, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={index} gap={6} wrap="nowrap">
            {levels && (
              <Text size="sm" c="dimmed" w={14} ta="right" className="numeric">
                {index}
              </Text>
            )}
            <TextInput
              size="xs"
              aria-label={`${levels ? t.level : t.option} ${index + 1}`}
              value={option.name}
              onChange={(event) => set(index, { ...option, name: event.currentTarget.value })}
              style={{ flex: levels ? 1 : "0 1 38%", minWidth: 0 }}
            />
            {!levels && (
              <TextInput
                size="xs"
                aria-label={`${t.description} ${index + 1}`}
                placeholder={t.description}
                value={option.text}
                onChange={(event) => set(index, { ...option, text: event.currentTarget.value })}
                style={{ flex: 1, minWidth: 0 }}
              />
            )}
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t.removeOption(option.name)}
              disabled={draft.options.length <= 2}
              title={draft.options.length <= 2 ? t.lastOptions : undefined}
              onClick={() => onChange(draft.options.toSpliced(index, 1))}
            >
              <IconX size={14} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={13} />}
        onClick={() => onChange([...draft.options, { name: "", text: "" }])}
      >
        {levels ? t.addLevel : t.addOption}
      </Button>
    </Input.Wrapper>
  );
}
