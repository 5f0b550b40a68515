export function Checkpoint() { return null; }
