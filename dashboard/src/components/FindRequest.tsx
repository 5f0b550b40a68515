// The request that an error is of, with a link to what the server keeps of it.
import { Group, type MantineSpacing, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { requestOf } from "@/api/errors";
import { viewerQuery } from "@/api/session";
import { maySee } from "@/logic/roles";
import { shell as t } from "@/texts/shell";
import { AnchorLink } from "./links";

export function FindRequest({ error, mt }: { error: unknown; mt?: MantineSpacing }) {
  // Who is not signed in, and who may not see the page, gets the ID alone.
  const { data } = useQuery({ ...viewerQuery, enabled: false });
  const id = requestOf(error);
  if (!id) return null;
  return (
    <Group gap="0 8px" mt={mt}>
      <Text component="span" size="xs" className="mono" style={{ overflowWrap: "anywhere" }}>
        {id}
      </Text>
      {data?.viewer && maySee(data.viewer, "/requests") && (
        <AnchorLink to="/requests" search={{ id }} size="xs" underline="always">
          {t.error.find}
        </AnchorLink>
      )}
    </Group>
  );
}
