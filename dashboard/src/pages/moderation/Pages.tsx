// Where in the list the page is, and the way to the others.
import { ActionIcon, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { count } from "@/logic/format";
import { filterOf } from "@/logic/moderationFilter";
import { queue as t } from "@/texts/moderation";
import { PAGE_SIZE, type QueueState } from "./useQueue";

const route = getRouteApi("/app/moderation/");

export function Pages({ state: { shown, total, pageInfo } }: { state: QueueState }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterOf(search);
  const from = search.from ?? 1;
  const go = (page: { after?: string; before?: string; from: number }) =>
    void navigate({ search: { ...filter, ...page } });
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" c="dimmed" className="numeric" data-testid="queue-range">
        {shown.length > 0 && t.range(count(from), count(from + shown.length - 1), count(total))}
      </Text>
      <ActionIcon
        variant="default"
        aria-label={t.previous}
        disabled={!pageInfo?.hasPreviousPage}
        title={pageInfo?.hasPreviousPage ? undefined : t.isFirst}
        onClick={() => go({ before: pageInfo?.startCursor ?? undefined, from: Math.max(1, from - PAGE_SIZE) })}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t.next}
        disabled={!pageInfo?.hasNextPage}
        title={pageInfo?.hasNextPage ? undefined : t.isLast}
        onClick={() => go({ after: pageInfo?.endCursor ?? undefined, from: from + shown.length })}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  );
}
