// Templates to choose from, with how often their answers are right.
import { Card, SimpleGrid, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type Template, templates } from "@/logic/templates";
import { judges } from "@/texts/judges";

const t = judges.templates;

export function TemplateCards({ blank, chosen }: { blank?: boolean; chosen?: string }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: blank ? 3 : 4 }} spacing="sm" p={blank ? 0 : "md"}>
      {templates.map((template) => (
        <Choice key={template.id} id={template.id} name={template.name} text={template.summary} chosen={chosen}>
          <Figures template={template} />
        </Choice>
      ))}
      {blank && <Choice id="blank" name={judges.make.blank} text={judges.make.blankText} chosen={chosen} />}
    </SimpleGrid>
  );
}

interface ChoiceProps {
  id: string;
  name: string;
  text: string;
  chosen?: string;
  children?: React.ReactNode;
}

function Choice({ id, name, text, chosen, children }: ChoiceProps) {
  return (
    <Link
      to="/judges/new"
      search={{ template: id }}
      className="plain-link"
      aria-current={chosen === id ? "true" : undefined}
    >
      <Card p="sm" h="100%" className="choice-card" data-chosen={chosen === id || undefined}>
        <Text fw={600} size="sm">
          {name}
        </Text>
        <Text size="xs" c="dimmed" mt={2}>
          {text}
        </Text>
        {children}
      </Card>
    </Link>
  );
}

/** The accuracy of each question, and what the template comes with. */
export function Figures({ template }: { template: Template }) {
  return (
    <>
      {Object.entries(template.measured).map(([key, { accuracy, n, baseline, trained }]) => (
        <Text key={key} size="xs" mt={6}>
          <b>{key}</b>: {t.right(accuracy, n, baseline)}
          {trained !== undefined && `; ${t.trained(trained)}`}
        </Text>
      ))}
      {template.examples && (
        <Text size="xs" fw={600} mt={6}>
          {t.labelled(template.examples.length)}
        </Text>
      )}
    </>
  );
}
