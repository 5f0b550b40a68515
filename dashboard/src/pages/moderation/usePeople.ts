// Who messages can be assigned to: those who may decide on them.
import { useQuery } from "@tanstack/react-query";
import { query } from "@/api/graphql";
import { useViewer } from "@/api/session";
import { mayModerate } from "@/logic/roles";
import { queue } from "@/texts/moderation";
import { PeopleQuery } from "./queries";

export interface Person {
  value: string;
  label: string;
}

/** The viewer first. Those whom the viewer may not see are left out. */
export function usePeople(): Person[] {
  const { user, role } = useViewer();
  const { data } = useQuery({ ...query(PeopleQuery), staleTime: 60_000, retry: false, enabled: role !== "MODERATOR" });
  const others = (data?.account.users.nodes ?? []).filter((one) => one.id !== user?.id && mayModerate(one.role));
  return [
    ...(user ? [{ value: user.id, label: queue.decision.you(user.email) }] : []),
    ...others.map((one) => ({ value: one.id, label: one.email })),
  ];
}
