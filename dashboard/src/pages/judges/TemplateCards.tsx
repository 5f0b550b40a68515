// Templates to choose from.
import { Card, SimpleGrid, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { templates } from "@/logic/templates";
import { judges } from "@/texts/judges";

export function TemplateCards({ blank, chosen }: { blank?: boolean; chosen?: string }) {
  const cards = templates.map((template) => ({ id: template.id, name: template.name, text: template.text }));
  if (blank) cards.push({ id: "blank", name: judges.make.blank, text: judges.make.blankText });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: blank ? 5 : 4 }} spacing="sm" p={blank ? 0 : "md"}>
      {cards.map((card) => (
        <Link
          key={card.id}
          to="/judges/new"
          search={{ template: card.id }}
          className="plain-link"
          aria-current={chosen === card.id ? "true" : undefined}
        >
          <Card p="sm" h="100%" className="choice-card" data-chosen={chosen === card.id || undefined}>
            <Text fw={600} size="sm">
              {card.name}
            </Text>
            <Text size="xs" c="dimmed" mt={2}>
              {card.text}
            </Text>
          </Card>
        </Link>
      ))}
    </SimpleGrid>
  );
}
