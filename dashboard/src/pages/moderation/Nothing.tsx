// What the queue shows in place of messages.
import { Button } from "@mantine/core";
import { IconChecks, IconFilterOff, IconMessageReport } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useCanEdit } from "@/api/session";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink } from "@/components/links";
import { RowsSkeleton } from "@/components/PageSkeleton";
import { type QueueSearch, activeFilters, filterOf } from "@/logic/moderationFilter";
import { optional } from "@/logic/search";
import { moderation } from "@/texts/moderation";

const t = moderation.empty;
const route = getRouteApi("/app/moderation/");

/** The log was never turned on. */
export function LogOff() {
  const canEdit = useCanEdit();
  return (
    <EmptyState icon={IconMessageReport} title={t.off.title} text={canEdit ? t.off.text : t.off.ask}>
      {canEdit && <ButtonLink to="/moderation/settings">{t.off.action}</ButtonLink>}
    </EmptyState>
  );
}

/** No message is on the page, of `total` that match. */
export function Nothing({ search, total }: { search: QueueSearch; total: number }) {
  const navigate = route.useNavigate();
  const { status, order } = filterOf(search);
  if (total > 0) {
    // The next ones are on their way.
    if (!search.after && !search.before) return <RowsSkeleton rows={8} />;
    return (
      <EmptyState icon={IconChecks} title={t.page.title} text={t.page.text}>
        <Button onClick={() => void navigate({ search: filterOf(search) })}>{t.page.action}</Button>
      </EmptyState>
    );
  }
  if (activeFilters(search).length > 0) {
    return (
      <EmptyState icon={IconFilterOff} title={t.nothing.title} text={t.nothing.text}>
        <Button variant="default" onClick={() => void navigate({ search: optional({ status, order }) })}>
          {t.nothing.action}
        </Button>
      </EmptyState>
    );
  }
  const texts = status ? t.waiting : t.done;
  return <EmptyState icon={status ? IconMessageReport : IconChecks} title={texts.title} text={texts.text} />;
}
