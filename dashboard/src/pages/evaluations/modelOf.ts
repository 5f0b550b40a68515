// What answered in an evaluation, in words.
import { evaluations } from "@/texts/training";

export function modelOf(run: { backend?: string | null; checkpoint?: object | null }): string {
  if (run.backend) return evaluations.by.backend(run.backend);
  return run.checkpoint ? evaluations.by.checkpoint : evaluations.by.model;
}
