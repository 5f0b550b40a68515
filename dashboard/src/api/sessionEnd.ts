// What happens when the server no longer knows the session, whichever call has learnt it.

let whenSessionEnds: () => void = () => undefined;

export function onSessionEnd(callback: () => void) {
  whenSessionEnds = callback;
}

export function reportSessionEnd() {
  whenSessionEnds();
}
