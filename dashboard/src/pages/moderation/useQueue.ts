// The moderation queue against the server: decisions are shown at once, and sent while the next message is read.
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { errorCode } from "@/api/errors";
import { mutate, pagedQuery } from "@/api/graphql";
import { ClaimMutation, ReleaseMutation, UndoMutation } from "@/api/labels";
import { queryClient } from "@/api/queryClient";
import { useViewer } from "@/api/session";
import { pageArguments } from "@/components/List";
import { tell, tellFailure } from "@/components/notify";
import { type ActionName, type QueueSearch, queueArguments } from "@/logic/moderationFilter";
import * as logic from "@/logic/moderationQueue";
import { shell } from "@/texts/shell";
import { queue as t } from "@/texts/moderation";
import { DecideMutation, type Message, QueueQuery, messages } from "./queries";

export const PAGE_SIZE = 25;
/** With fewer open messages on the page, more are fetched. */
const FEW = 8;

/** What a moderator is about to say of a message, besides the action. */
export interface Draft {
  note: string;
  categories: Record<string, boolean>;
}

const NO_DRAFT: Draft = { note: "", categories: {} };

export function useQueue(search: QueueSearch) {
  const { user } = useViewer();
  const openOnly = search.status === undefined;
  const args = queueArguments(search, user?.id);
  const result = useQuery({
    ...pagedQuery(QueueQuery, { ...pageArguments(search, PAGE_SIZE), ...args }),
    refetchInterval: 20_000,
  });
  const log = result.data?.account.moderationLog;
  const rows = messages(log?.samples.nodes ?? []);

  const [queue, setQueue] = useState(logic.emptyQueue<Message>);
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  // What was undone on one list is not shown on another.
  const key = JSON.stringify(search);
  const [list, setList] = useState(key);
  if (list !== key) {
    setList(key);
    setQueue(logic.forAnotherList);
  }

  const shown = logic.shownRows(queue, rows, openOnly);
  const focused = logic.focusedRow(queue, shown);
  const total = logic.shownTotal(queue, rows, log?.samples.totalCount ?? 0, openOnly);

  // The newest change of each message, once the server has made it, and all that are under way.
  const changes = useRef(new Map<string, Promise<string | null | undefined>>());
  const underWay = useRef(new Set<Promise<unknown>>());
  const track = (work: Promise<unknown>) => {
    underWay.current.add(work);
    void work.catch(() => undefined).finally(() => underWay.current.delete(work));
  };
  const refreshNow = () => Promise.allSettled(underWay.current).then(() => queryClient.invalidateQueries());
  const refresh = useDebouncedCallback(refreshNow, 1_500);
  /** Shows a message that was given back for as long as the server's list has it. */
  const reread = (id: string) => void refreshNow().then(() => setQueue((current) => logic.forget(current, id)));
  const running = openOnly && shown.length < FEW && shown.length < total;
  useEffect(() => {
    if (running) void Promise.allSettled(underWay.current).then(() => queryClient.invalidateQueries());
  }, [running]);
  // Other pages show what was done here.
  useEffect(() => {
    const work = underWay.current;
    return () => void Promise.allSettled(work).then(() => queryClient.invalidateQueries());
  }, []);

  const draftOf = (id: string): Draft => drafts[id] ?? NO_DRAFT;
  const setDraft = (id: string, change: Partial<Draft>) =>
    setDrafts((all) => ({ ...all, [id]: { ...(all[id] ?? NO_DRAFT), ...change } }));

  const decide = (row: Message, action: ActionName) => {
    const { note, categories } = draftOf(row.id);
    const decidedBefore = row.labelled || queue.decided.some((one) => one.row.id === row.id);
    const input = {
      id: row.moderation.moderationId,
      action: action.toUpperCase() as Uppercase<ActionName>,
      categories: Object.keys(categories).length ? categories : undefined,
      note: note.trim() || undefined,
      overwrite: decidedBefore,
    };
    const before = changes.current.get(row.id) ?? Promise.resolve();
    const change = before
      .catch(() => undefined)
      .then(() => mutate(DecideMutation, { input }))
      .then((data) => data.giveModerationFeedback.changeId);
    change.catch((error: unknown) => {
      setQueue((current) => logic.takeBack(current, row.id));
      setDrafts((all) => ({ ...all, [row.id]: { note, categories } }));
      tellFailure(errorCode(error) === "CONFLICT" ? new Error(t.last.conflict) : error);
      reread(row.id);
    });
    changes.current.set(row.id, change);
    track(change);
    setQueue(logic.decide(queue, shown, row.id, action));
    setDrafts(({ [row.id]: _sent, ...others }) => others);
    refresh();
  };

  const undo = () => {
    const { queue: before, undone } = logic.undoLast(queue);
    if (!undone) return tell(t.last.nothing);
    setQueue(before);
    const change = changes.current.get(undone.row.id) ?? Promise.resolve(undefined);
    const undoing = change.then(async (changeId) => {
      if (changeId) await mutate(UndoMutation, { changeId });
      return undefined;
    });
    changes.current.set(undone.row.id, undoing);
    track(undoing);
    undoing.then(() => tell(shell.undone), tellFailure).finally(() => reread(undone.row.id));
    return undefined;
  };

  const claim = (row: Message) => {
    const mine = row.claimedBy?.id === user?.id;
    const work = mine ? mutate(ReleaseMutation, { id: row.id }) : mutate(ClaimMutation, { id: row.id });
    track(work);
    work.then(refreshNow, tellFailure);
  };

  return {
    result,
    log,
    shown,
    focused,
    total,
    openOnly,
    pageInfo: log?.samples.pageInfo,
    decided: queue.decided,
    draftOf,
    setDraft,
    decide,
    undo,
    claim,
    focus: (id: string) => setQueue((current) => ({ ...current, focused: id })),
    move: (step: number) => setQueue(logic.moveFocus(queue, shown, step)),
  };
}

export type QueueState = ReturnType<typeof useQueue>;
