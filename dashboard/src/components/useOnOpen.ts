// A dialog stays mounted, so that the focus returns when it closes, and begins anew each time that it opens.
import { useState } from "react";

/** Calls `reset` in the render that first has `opened`. It may only set state of the component. */
export function useOnOpen(opened: boolean, reset: () => void) {
  const [before, setBefore] = useState(opened);
  if (before === opened) return;
  setBefore(opened);
  if (opened) reset();
}
