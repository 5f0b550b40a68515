// Three steps for an account that is new; each is done when the account shows it.
import { Button, Card, Group, SimpleGrid, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconCheck } from "@tabler/icons-react";
import { useCanEdit, useViewer } from "@/api/session";
import { GuardedButton } from "@/components/GuardedButton";
import { ButtonLink } from "@/components/links";
import { tourSteps } from "@/logic/tour";
import { overview } from "@/texts/overview";

const t = overview.tour;

interface Props {
  charges: number;
  judges: { id: string; stats: { count: number } }[];
}

export function Tour({ charges, judges }: Props) {
  const { account } = useViewer();
  const canEdit = useCanEdit();
  const [hidden, setHidden] = useLocalStorage({
    key: `gavel-tour-${account.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const steps = tourSteps(charges, judges);
  if (!canEdit || hidden || steps.every(Boolean)) return null;
  const judge = judges[0];
  const current = steps.indexOf(false);
  return (
    <Card p="lg">
      <Group justify="space-between" align="flex-start" mb="md" wrap="nowrap">
        <Stack gap={2}>
          <Title order={2}>{t.title}</Title>
          <Text size="sm" c="dimmed">
            {t.text}
          </Text>
        </Stack>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setHidden(true)}>
          {t.dismiss}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        {t.steps.map((step, index) => (
          <Stack key={step.title} gap={6} align="flex-start">
            <Group gap="xs" wrap="nowrap">
              <ThemeIcon
                size={24}
                radius="xl"
                variant={steps[index] ? "filled" : "light"}
                color={index === current || steps[index] ? "pine" : "gray"}
              >
                {steps[index] ? (
                  <IconCheck size={14} aria-label={t.done} />
                ) : (
                  <Text size="xs" fw={600} inherit>
                    {index + 1}
                  </Text>
                )}
              </ThemeIcon>
              <Text fw={600} size="sm">
                {step.title}
              </Text>
            </Group>
            <Text size="sm" c="dimmed" style={{ flex: 1 }}>
              {step.text}
            </Text>
            {!steps[index] && (
              <Action index={index} judge={judge} variant={index === current ? "filled" : "default"}>
                {step.action}
              </Action>
            )}
          </Stack>
        ))}
      </SimpleGrid>
    </Card>
  );
}

interface ActionProps {
  index: number;
  judge: Props["judges"][number] | undefined;
  variant: "filled" | "default";
  children: string;
}

/** The way to where a step is done. */
function Action({ index, judge, ...look }: ActionProps) {
  if (index === 0) return <ButtonLink to="/playground" size="xs" {...look} />;
  if (index === 1) return <ButtonLink to="/judges/new" size="xs" {...look} />;
  if (!judge) return <GuardedButton size="xs" why={t.noJudge} {...look} />;
  return (
    <ButtonLink
      to={judge.stats.count ? "/judges/$judgeId/dataset" : "/judges/$judgeId"}
      params={{ judgeId: judge.id }}
      size="xs"
      {...look}
    />
  );
}
