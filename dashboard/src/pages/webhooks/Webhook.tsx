export function Webhook() { return null; }
