// One evaluation: its progress, then its figures.
import { Alert, Button, Card, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { IconChecklist } from "@tabler/icons-react";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { query } from "@/api/graphql";
import { useCanEdit } from "@/api/session";
import { useSubscription } from "@/api/subscribe";
import { EmptyState } from "@/components/EmptyState";
import { Figures } from "@/components/Figures";
import { AnchorLink } from "@/components/links";
import { Matrix } from "@/components/Matrix";
import { tell, tellFailure } from "@/components/notify";
import { Page } from "@/components/Page";
import { StateBadge } from "@/components/StateBadge";
import { Time } from "@/components/Time";
import { useAction } from "@/components/useAction";
import { graphql } from "@/gql";
import type { EvaluationPageQuery as Result } from "@/gql/graphql";
import { count, creditAmount, exactTime, figure, percentOrDash } from "@/logic/format";
import { instructionFor, valueLabel } from "@/logic/instructions";
import { judges } from "@/texts/judges";
import { evaluations } from "@/texts/training";
import { modelOf } from "./modelOf";
import { RunAnswers } from "./RunAnswers";

const EvaluationQuery = graphql(`
  query EvaluationPage($id: ID!) {
    evaluation(id: $id) {
      id
      state
      done
      samples
      price
      error
      createdAt
      finishedAt
      judgeVersion
      scope
      filter {
        since
        until
        version
        source
      }
      trainedMetrics {
        key
        count
        accuracy
      }
      judge {
        id
        name
        instructions
      }
      backend
      checkpoint {
        id
      }
      metrics {
        key
        count
        accuracy
        accuracyInterval {
          low
          high
        }
        macroF1
        kappa
        logLoss
        brier
        ece
        confusion {
          truth
          answered
          count
        }
      }
    }
  }
`);
const ProgressSubscription = graphql(`
  subscription EvaluationProgress($id: ID!) {
    evaluationProgress(id: $id) {
      id
      state
      done
    }
  }
`);
const CancelMutation = graphql(`
  mutation CancelEvaluation($id: ID!) {
    cancelEvaluation(input: { id: $id }) {
      evaluation {
        id
      }
      userErrors {
        field
        message
        code
      }
    }
  }
`);

const t = evaluations.page;
const route = getRouteApi("/app/evaluations/$evaluationId");

type Evaluated = NonNullable<Result["evaluation"]>;

/** Which samples it reads, in words. */
function used({ checkpoint, scope, filter }: Evaluated): string {
  const parts = [
    checkpoint ? evaluations.scopes[scope] : t.all,
    filter.since && t.from(exactTime(filter.since)),
    filter.until && t.before(exactTime(filter.until)),
    filter.version != null && t.ofVersion(filter.version),
    filter.source && evaluations.confirm.sources[filter.source].toLowerCase(),
  ];
  return parts.filter(Boolean).join(", ");
}

function Trained({ metrics }: { metrics: Evaluated["trainedMetrics"][number] | undefined }) {
  return (
    metrics && (
      <Text size="sm" c="dimmed">
        {t.trained(percentOrDash(metrics.accuracy), metrics.count)}
      </Text>
    )
  );
}

export function Evaluation() {
  const { evaluationId } = route.useParams();
  const options = query(EvaluationQuery, { id: evaluationId });
  const { data } = useSuspenseQuery(options);
  const client = useQueryClient();
  const canEdit = useCanEdit();
  const cancel = useAction(CancelMutation);
  const evaluation = data.evaluation;
  const open = evaluation?.state === "QUEUED" || evaluation?.state === "RUNNING";
  useSubscription(
    ProgressSubscription,
    { id: evaluationId },
    ({ evaluationProgress: now }) => {
      client.setQueryData(options.queryKey, (old) =>
        old?.evaluation ? { ...old, evaluation: { ...old.evaluation, state: now.state, done: now.done } } : old,
      );
      if (now.state !== "QUEUED" && now.state !== "RUNNING") void client.invalidateQueries();
    },
    open,
  );
  if (!evaluation) return <EmptyState icon={IconChecklist} title={t.missing.title} text={t.missing.text} />;
  const f = t.figures;
  return (
    <Page
      title={t.title(evaluation.judge.name)}
      text={
        <AnchorLink
          to="/judges/$judgeId/evaluations"
          params={{ judgeId: evaluation.judge.id }}
          inherit
          underline="always"
        >
          {judges.tabs.evaluations}
        </AnchorLink>
      }
      actions={
        open &&
        canEdit && (
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() =>
              cancel.mutate({ id: evaluation.id }, { onSuccess: () => tell(t.cancelled), onError: tellFailure })
            }
          >
            {t.cancel}
          </Button>
        )
      }
    >
      <Stack gap="md">
        {evaluation.error && (
          <Alert color="red" role="alert">
            {evaluation.error}
          </Alert>
        )}
        <Card>
          <Group justify="space-between" mb={open ? "sm" : 0}>
            <Group gap="sm">
              <StateBadge state={evaluation.state} label={evaluations.states[evaluation.state]} />
              <Text size="sm">
                {modelOf(evaluation)}, {evaluations.version(evaluation.judgeVersion)}
              </Text>
            </Group>
            <Text size="sm" c="dimmed" className="numeric">
              {t.progress(count(evaluation.done), count(evaluation.samples))} ·{" "}
              {t.perSample(creditAmount(evaluation.price))}
              {" · "}
              <Time at={evaluation.createdAt} />
            </Text>
          </Group>
          <Text size="sm" c="dimmed">
            {used(evaluation)}
          </Text>
          {open && (
            <Progress
              value={(evaluation.done / Math.max(evaluation.samples, 1)) * 100}
              animated
              aria-label={t.progress(count(evaluation.done), count(evaluation.samples))}
            />
          )}
        </Card>
        {evaluation.metrics.map((metric) => (
          <Stack key={metric.key} gap="xs">
            <Title order={2}>{metric.key}</Title>
            <Figures
              figures={[
                { label: f.accuracy, value: percentOrDash(metric.accuracy) },
                {
                  term: "interval",
                  label: f.interval,
                  value: metric.accuracyInterval
                    ? `${percentOrDash(metric.accuracyInterval.low)} – ${percentOrDash(metric.accuracyInterval.high)}`
                    : "–",
                },
                { label: f.f1, value: figure(metric.macroF1), term: "macro-f1" },
                { label: f.kappa, value: figure(metric.kappa), term: "kappa" },
                { label: f.loss, value: figure(metric.logLoss), term: "log-loss" },
                { label: f.brier, value: figure(metric.brier), term: "brier-score" },
                { label: f.ece, value: figure(metric.ece), term: "calibration-error" },
                { label: f.count, value: count(metric.count) },
              ]}
            />
            <Trained metrics={evaluation.trainedMetrics.find((one) => one.key === metric.key)} />
            <Card>
              <Title order={3} mb="xs">
                {t.confusion}
              </Title>
              <Matrix
                cells={metric.confusion}
                label={(value) =>
                  value == null ? "–" : valueLabel(instructionFor(evaluation.judge.instructions, metric.key), value)
                }
                link={(truth, answer, number, spoken) => (
                  <Link
                    to="/evaluations/$evaluationId"
                    params={{ evaluationId }}
                    search={{ key: metric.key, truth, answer }}
                    resetScroll={false}
                    className="row-link"
                    title={spoken}
                    aria-label={spoken}
                  >
                    {number}
                  </Link>
                )}
              />
            </Card>
          </Stack>
        ))}
        {evaluation.state === "SUCCEEDED" && <RunAnswers instructions={evaluation.judge.instructions} />}
      </Stack>
    </Page>
  );
}
