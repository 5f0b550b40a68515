export function Batches() { return null; }
