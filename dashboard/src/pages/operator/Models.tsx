// The models of the process that answers, and whether they are the ones that they should be.
import { Badge, Button, Table, Text, Tooltip } from "@mantine/core";
import { IconCpu, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { CopyIcon } from "@/components/CopyButton";
import { EmptyState } from "@/components/EmptyState";
import { List } from "@/components/List";
import { Page } from "@/components/Page";
import { graphql } from "@/gql";
import type { DeployedModelsQuery as Result } from "@/gql/graphql";
import { words } from "@/logic/format";
import { size } from "@/logic/limits";
import { modelColor, shortHash } from "@/logic/operator";
import { models as t } from "@/texts/operator";

const ModelsQuery = graphql(`
  query DeployedModels {
    operator {
      models {
        name
        version
        file
        bytes
        sha256
        origin
        state
        fault
      }
    }
  }
`);

type Model = Result["operator"]["models"][number];
const COLUMNS = [
  t.columns.name,
  t.columns.version,
  t.columns.origin,
  t.columns.state,
  { name: t.columns.size, right: true },
  t.columns.sha256,
];

export function Models() {
  // Hashing takes the server most of a second, so nothing is fetched again by itself.
  const result = useQuery({ ...query(ModelsQuery), staleTime: 60_000, refetchOnWindowFocus: false });
  return (
    <Page
      title={t.title}
      text={t.text}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} />}
          loading={result.isFetching}
          onClick={() => void result.refetch()}
        >
          {t.again}
        </Button>
      }
    >
      <List<Model>
        label={t.title}
        query={result}
        rows={result.data && { nodes: result.data.operator.models }}
        columns={COLUMNS}
        minWidth={860}
        row={(model) => <Row key={`${model.name} ${model.file}`} model={model} />}
        empty={<EmptyState icon={IconCpu} {...t.empty} />}
      />
    </Page>
  );
}

function Row({ model }: { model: Model }) {
  return (
    <Table.Tr>
      <Table.Td className="room">
        <div className="clip" title={model.file}>
          <Text size="sm" fw={550} className="clip">
            {model.name}
          </Text>
          <Text
            size="xs"
            c={model.fault ? "var(--mantine-color-error)" : "dimmed"}
            className="clip"
            title={model.fault ?? undefined}
          >
            {model.fault ?? model.file}
          </Text>
        </div>
      </Table.Td>
      <Table.Td className="numeric">{model.version || "–"}</Table.Td>
      <Table.Td>{t.origins[model.origin] ?? words(model.origin)}</Table.Td>
      <Table.Td>
        <Tooltip label={t.stateHints[model.state]} disabled={!t.stateHints[model.state]}>
          <Badge color={modelColor(model.state)}>{t.states[model.state] ?? words(model.state)}</Badge>
        </Tooltip>
      </Table.Td>
      <Table.Td className="numeric" ta="right">
        {model.bytes > 0 ? size(model.bytes) : "–"}
      </Table.Td>
      <Table.Td>
        {model.sha256 ? (
          <span style={{ display: "inline-flex", alignItems: "center", gap: 2 }}>
            <span className="mono" title={model.sha256}>
              {shortHash(model.sha256)}
            </span>
            <CopyIcon value={model.sha256} label={t.copy(model.name)} />
          </span>
        ) : (
          "–"
        )}
      </Table.Td>
    </Table.Tr>
  );
}
