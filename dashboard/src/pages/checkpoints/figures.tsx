// The figures that tables of models show.
import type { ReactNode } from "react";
import { Help } from "@/components/Help";
import { figure, percentOrDash } from "@/logic/format";
import { checkpoints } from "@/texts/training";

const t = checkpoints.page.columns;

interface Measured {
  accuracy: number | null;
  macroF1: number | null;
  logLoss: number | null;
  ece: number | null;
}

interface Figure {
  name: string;
  help?: ReactNode;
  of: (one: Measured) => string;
}

export const figures: Figure[] = [
  { name: t.accuracy, of: (one) => percentOrDash(one.accuracy) },
  { name: t.f1, help: <Help term="macro-f1" />, of: (one) => figure(one.macroF1) },
  { name: t.loss, help: <Help term="log-loss" />, of: (one) => figure(one.logLoss) },
  { name: t.ece, help: <Help term="calibration-error" />, of: (one) => figure(one.ece) },
];
