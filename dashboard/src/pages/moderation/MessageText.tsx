// The text of a message, with what speaks against it marked.
import { parts } from "@/logic/highlight";
import type { Signal } from "./queries";

export function MessageText({ content, signals }: { content: string; signals: Signal[] }) {
  return parts(content, signals).map((part, index) =>
    part.signals.length ? (
      // oxlint-disable-next-line react/no-array-index-key
      <mark key={index} className="signal" title={part.signals.join(", ")}>
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}
