export function Ledger() { return null; }
