// The page for a path that has none.
import { IconMapOff } from "@tabler/icons-react";
import { shell as t } from "@/texts/shell";
import { EmptyState } from "./EmptyState";
import { ButtonLink } from "./links";

export function NotFound() {
  return (
    <EmptyState icon={IconMapOff} title={t.notFound.title} text={t.notFound.text}>
      <ButtonLink to="/" variant="default">
        {t.notFound.back}
      </ButtonLink>
    </EmptyState>
  );
}
