// Does the work that the server asks for before somebody signs in or up on a new device.
import { graphql } from "@/gql";
import type { Challenge } from "@/logic/proofOfWork";
import Solver from "@/logic/proofOfWork.worker?worker";
import { execute } from "./graphql";

const ChallengeQuery = graphql(`
  query ProofOfWorkChallenge($email: String!) {
    proofOfWorkChallenge(email: $email)
  }
`);

/** A proof for one attempt with this address; none if the server needs none. */
export async function prove(email: string): Promise<string | undefined> {
  const { proofOfWorkChallenge } = await execute(ChallengeQuery, { email });
  return proofOfWorkChallenge ? solveApart(proofOfWorkChallenge as Challenge) : undefined;
}

/** Solves a challenge in a thread of its own. */
function solveApart(challenge: Challenge): Promise<string> {
  const solver = new Solver();
  const solved = new Promise<string>((resolve, reject) => {
    solver.addEventListener("message", ({ data }: MessageEvent<string>) => resolve(data));
    solver.addEventListener("error", ({ message }) => reject(new Error(message)));
    // Only messages to windows name an origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    solver.postMessage(challenge);
  });
  return solved.finally(() => solver.terminate());
}
