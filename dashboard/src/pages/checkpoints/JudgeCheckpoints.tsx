export function JudgeCheckpoints() { return null; }
