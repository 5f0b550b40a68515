// The page for a path that has none.
import { Button } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { shell as t } from "@/texts/shell";
import { EmptyState } from "./EmptyState";

export function NotFound() {
  return (
    <EmptyState icon={IconMapOff} title={t.notFound.title} text={t.notFound.text}>
      <Button component={Link} to="/" variant="default">
        {t.notFound.back}
      </Button>
    </EmptyState>
  );
}
