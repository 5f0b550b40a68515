// A question mark beside a term's first use, which says what it means and leads to the glossary.
import { Tooltip } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { glossary, type Term, type TermId } from "@/texts/glossary";

const TERMS = glossary.groups.flatMap<Term>((group) => [...group.terms]);

export type { TermId };

export function Help({ term }: { term: TermId }) {
  const found = TERMS.find(({ id }) => id === term);
  if (!found) return null;
  return (
    <Tooltip label={found.text} multiline maw={280} events={{ hover: true, focus: true, touch: false }}>
      <Link to="/glossary" hash={term} className="help" aria-label={glossary.help(found.name)}>
        <IconHelpCircle size={14} stroke={1.7} aria-hidden />
      </Link>
    </Tooltip>
  );
}
