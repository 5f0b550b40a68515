export function JudgeEvaluations() { return null; }
