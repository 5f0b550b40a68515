// The form of a policy, with a dry run of the rules as they stand in it.
import { Button, Card, Group, Stack, TextInput, Textarea } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { errorCode, fieldError, formError } from "@/api/errors";
import { FormAlert } from "@/components/FormAlert";
import { LeaveGuard } from "@/components/UnsavedChanges";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import { DESCRIPTION_CHARS, RULES_BYTES, tooManyBytes, tooManyChars } from "@/logic/limits";
import { type Rules, formOf, rulesOf } from "@/logic/policyRules";
import { policies } from "@/texts/policies";
import { DryRun } from "./DryRun";
import { RulesEditor } from "./RulesEditor";

const DryRunMutation = graphql(`
  mutation DryRunPolicy($input: DryRunModerationPolicyInput!) {
    dryRunModerationPolicy(input: $input) {
      results {
        content
        verdict {
          action
          threatScore
          requiresModReview
          signals {
            name
            weight
            start
          }
          plainRules {
            id
            name
            probability
            broken
          }
        }
        withoutPolicy {
          action
          threatScore
          requiresModReview
        }
      }
      creditsDeducted
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = policies.edit;

export interface PolicyValues {
  name: string;
  description: string;
  rules: Rules;
}

interface Props {
  initial: PolicyValues;
  /** Rules of another version to begin with. */
  from?: Rules;
  canEdit: boolean;
  /** What the button says. */
  submit: string;
  save: { error: Error | null; isPending: boolean; reset: () => void };
  onSubmit: (values: PolicyValues, newRules: boolean) => void;
  onDirty?: (dirty: boolean) => void;
  /** Runs new rules in shadow mode beside those that apply. */
  shadow?: { save: { error: Error | null; isPending: boolean }; onSubmit: (rules: Rules) => void };
  /** Beside the button. */
  cancel?: ReactNode;
  /** In place of the form's error when somebody else was faster. */
  conflict?: ReactNode;
}

export function PolicyForm({
  initial,
  from,
  canEdit,
  submit,
  save,
  onSubmit,
  onDirty,
  shadow,
  cancel,
  conflict,
}: Props) {
  // What was there when editing began.
  const [base] = useState(initial);
  const [name, setName] = useState(base.name);
  const [description, setDescription] = useState(base.description);
  const [form, setForm] = useState(() => formOf(from ?? base.rules));
  const [pristine] = useState(() => JSON.stringify(rulesOf(formOf(base.rules))));
  const dryRun = useAction(DryRunMutation);
  const rules = rulesOf(form);
  const newRules = JSON.stringify(rules) !== pristine;
  const dirty = newRules || name !== base.name || description !== base.description;
  const fault = tooManyChars(description, DESCRIPTION_CHARS) ?? tooManyBytes(rules, RULES_BYTES);
  const blocked = !dirty ? t.unchanged : !name.trim() ? t.unnamed : fault;
  useEffect(() => onDirty?.(dirty), [dirty, onDirty]);

  // Of the two the later one has the errors that are shown.
  const error = save.error ?? shadow?.save.error ?? dryRun.error;
  const send = (event: FormEvent) => {
    event.preventDefault();
    dryRun.reset();
    onSubmit({ name, description, rules }, newRules);
  };
  const attempt = (messages: string[]) => {
    save.reset();
    dryRun.mutate({ input: { rules, messages: messages.map((content) => ({ content })) } });
  };
  return (
    <Stack gap="md" miw={0}>
      <LeaveGuard dirty={canEdit && dirty && !save.isPending} />
      <Card component="form" onSubmit={send} p="lg">
        <fieldset disabled={!canEdit} className="plain-fieldset">
          <Stack gap="lg">
            {errorCode(error) === "CONFLICT" && conflict ? (
              conflict
            ) : (
              <FormAlert message={tooManyBytes(rules, RULES_BYTES) ?? formError(error, FIELDS)} error={error} />
            )}
            <Stack gap="sm">
              <TextInput
                label={t.name}
                description={t.nameHint}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={fieldError(error, "name")}
                maxLength={100}
              />
              <Textarea
                label={t.description}
                value={description}
                onChange={(event) => setDescription(event.currentTarget.value)}
                error={tooManyChars(description, DESCRIPTION_CHARS) ?? fieldError(error, "description")}
                autosize
                minRows={1}
                maxRows={5}
              />
            </Stack>
            <RulesEditor form={form} onChange={setForm} error={error} disabled={!canEdit} />
            {canEdit && (
              <Group justify="flex-end" gap="sm">
                {cancel}
                {shadow && (
                  <Button
                    variant="default"
                    loading={shadow.save.isPending}
                    disabled={!newRules || fault !== undefined}
                    title={newRules ? (fault ?? t.shadowHint) : t.unchanged}
                    onClick={() => shadow.onSubmit(rules)}
                  >
                    {t.shadow}
                  </Button>
                )}
                <Button type="submit" loading={save.isPending} disabled={blocked !== undefined} title={blocked}>
                  {submit}
                </Button>
              </Group>
            )}
          </Stack>
        </fieldset>
      </Card>
      {canEdit && (
        <DryRun
          run={dryRun}
          rules={JSON.stringify(rules)}
          disabled={fault !== undefined}
          asksRules={rules.plain_rules !== undefined}
          onRun={attempt}
        />
      )}
    </Stack>
  );
}

/** Fields whose errors stand at them: the name, the description, and all that the editor of rules shows. */
const FIELDS = [
  "name",
  "description",
  "messages",
  "rules.categories",
  "rules.block",
  "rules.allow",
  "rules.languages",
  "rules.lexicon",
  "rules.new_accounts",
  "rules.plain_rules",
];
