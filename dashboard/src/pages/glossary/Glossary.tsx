// What the terms mean, each with an address of its own.
import { Card, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "@/components/Page";
import { glossary as t } from "@/texts/glossary";

export function Glossary() {
  const [search, setSearch] = useState("");
  const chosen = useRouterState({ select: (state) => state.location.hash });
  const wanted = search.trim().toLowerCase();
  const groups = t.groups
    .map(({ title, terms }) => ({
      title,
      terms: terms.filter(({ name, text }) => `${name} ${text}`.toLowerCase().includes(wanted)),
    }))
    .filter(({ terms }) => terms.length > 0);
  return (
    <Page title={t.title} text={t.text}>
      <Stack gap="md">
        <TextInput
          aria-label={t.search}
          placeholder={t.search}
          leftSection={<IconSearch size={15} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          w={{ base: "100%", xs: 280 }}
        />
        {groups.length === 0 && (
          <Text size="sm" c="dimmed" role="status">
            {t.nothing}
          </Text>
        )}
        {groups.map(({ title, terms }) => (
          <Card key={title}>
            <Title order={2} mb="sm">
              {title}
            </Title>
            <SimpleGrid component="dl" cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="sm" m={0}>
              {terms.map(({ id, name, text }) => (
                <div key={id} id={id} className="term" data-chosen={id === chosen || undefined}>
                  <Text component="dt" fw={600} size="sm">
                    {name}
                  </Text>
                  <Text component="dd" size="sm" c="dimmed" m={0}>
                    {text}
                  </Text>
                </div>
              ))}
            </SimpleGrid>
          </Card>
        ))}
      </Stack>
    </Page>
  );
}
