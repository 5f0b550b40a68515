// What those who may only look see of a page that changes something.
import { IconEye } from "@tabler/icons-react";
import { shell } from "@/texts/shell";
import { EmptyState } from "./EmptyState";
import { ButtonLink } from "./links";
import { Page } from "./Page";

export function LookOnly({ title, back }: { title: string; back: "/judges" | "/policies" }) {
  return (
    <Page title={title}>
      <EmptyState icon={IconEye} title={shell.analyst.title} text={shell.analyst.text}>
        <ButtonLink to={back} variant="default">
          {shell.back}
        </ButtonLink>
      </EmptyState>
    </Page>
  );
}
