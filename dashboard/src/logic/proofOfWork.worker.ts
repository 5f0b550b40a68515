// Solves one challenge in a thread of its own, so that the page stays responsive.
import { type Challenge, solve } from "./proofOfWork";

// Only messages to windows name an origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
self.addEventListener("message", ({ data }: MessageEvent<Challenge>) => self.postMessage(solve(data)));
