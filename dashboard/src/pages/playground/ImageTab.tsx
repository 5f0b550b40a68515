// Moderates a picture: a file, or one that the server downloads.
import {
  Badge,
  FileInput,
  Group,
  Image,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import type { ImageAnswer } from "@/api/rest";
import { Meter, RiskMeter } from "@/components/Meter";
import { useKept } from "@/components/useKept";
import { kept } from "@/logic/kept";
import { PICTURE_BYTES, size } from "@/logic/limits";
import { playground } from "@/texts/playground";
import { shell } from "@/texts/shell";
import { Bench } from "./Bench";

const t = playground.image;

export function ImageTab() {
  const [source, setSource] = useKept<"upload" | "url">("playground-image-source", "upload");
  const [file, setFile] = useState(kept.file);
  const [url, setUrl] = useKept("playground-image-url", "");
  const preview = usePreview(file);
  const form = useMemo(() => {
    if (source !== "upload" || !file) return undefined;
    const data = new FormData();
    data.set("image", file);
    return data;
  }, [source, file]);
  const request = {
    path: "/api/v1/moderate/image",
    ...(source === "upload" ? { form: { image: file?.name ?? "picture.jpg" } } : { body: { image_url: url } }),
  };
  return (
    <Bench<ImageAnswer>
      request={request}
      form={form}
      why={source === "upload" ? file === null && playground.why.file : url.trim() === "" && playground.why.address}
      fault={
        source === "upload" && file && file.size > PICTURE_BYTES
          ? shell.limits.bytes(size(PICTURE_BYTES), size(file.size))
          : undefined
      }
      answer={(answer) => <Verdict answer={answer} />}
      cost={(answer) => [answer.credits_deducted, answer.data.meta.latency_ms]}
    >
      <SegmentedControl
        aria-label={t.source}
        value={source}
        onChange={(value) => setSource(value as typeof source)}
        data={[
          { value: "upload", label: t.upload },
          { value: "url", label: t.url },
        ]}
      />
      {source === "upload" ? (
        <FileInput
          label={t.file}
          description={t.fileHint}
          placeholder={t.choose}
          leftSection={<IconPhoto size={16} />}
          accept="image/jpeg,image/png,image/webp"
          value={file}
          onChange={(next) => {
            kept.file = next;
            setFile(next);
          }}
          clearable
        />
      ) : (
        <TextInput
          label={t.address}
          description={t.addressHint}
          placeholder="https://example.org/picture.jpg"
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
      )}
      {source === "upload" && preview && <Image src={preview} alt="" radius="md" mah={260} fit="contain" />}
    </Bench>
  );
}

function usePreview(file: File | null): string | undefined {
  const preview = useMemo(() => (file ? URL.createObjectURL(file) : undefined), [file]);
  useEffect(() => () => (preview ? URL.revokeObjectURL(preview) : undefined), [preview]);
  return preview;
}

function Verdict({ answer: { data } }: { answer: ImageAnswer }) {
  const { nudity, drawn_nudity: drawn, age_estimation: age } = data.categories;
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Badge size="lg" color={data.is_flagged ? "red" : "gray"} variant={data.is_flagged ? "filled" : "light"}>
          {data.is_flagged ? t.flagged : t.clear}
        </Badge>
        {age.is_minor && (
          <Badge size="lg" color="orange">
            {t.minor}
          </Badge>
        )}
      </Group>
      <Text size="sm">{data.summary}</Text>
      <SimpleGrid cols={2} spacing="md">
        <RiskMeter label={t.nudity} value={nudity.score} strong={nudity.flagged} />
        <RiskMeter label={t.drawn} value={drawn.score} strong={drawn.flagged} />
      </SimpleGrid>
      <Stack gap={4}>
        <Title order={3}>{t.age}</Title>
        <Text size="sm">{age.face_detected ? t.face(age.estimated_age, age.age_range) : t.noFace}</Text>
      </Stack>
      <Stack gap="xs">
        <Title order={3}>{t.classes}</Title>
        {data.classifications.map((one) => (
          <Meter key={one.className} label={one.className} value={one.probability} />
        ))}
      </Stack>
    </Stack>
  );
}
