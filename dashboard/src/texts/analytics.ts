// Texts of a Judge's analytics.
import { plural } from "@/logic/format";

export const analytics = {
  observed: "Correct",
  observedOf: (answers: number) => `Correct, of ${plural(answers, "answer")}`,
  interval: (interval: string) => `95% interval ${interval}`,
  ideal: "Ideal",
  filters: {
    key: "Question",
    version: "Version",
    period: "Period",
    all: "All",
    days: (days: number) => `${days} days`,
    any: "All versions",
  },
  figures: {
    samples: "Samples",
    labelled: "Labelled",
    accuracy: "Accuracy",
    macroF1: "Macro-F1",
    kappa: "Cohen's κ",
    ece: "Calibration error",
    latency: "Latency p50 / p95",
    credits: "Credits",
  },
  empty: {
    title: "No data yet",
    text: "Figures are computed from samples. Try the Judge, or import a file.",
  },
  unlabelled: {
    title: "No ground truths yet",
    text: "Accuracy and calibration appear once answers are corrected. Ten samples are a good start.",
  },
  unanswered: {
    title: "No answers to compare",
    text: "The labelled samples were imported and have no answers. Run an evaluation to get them.",
    action: "Go to evaluations",
  },
  review: "Review samples",
  confusion: "Confusion matrix",
  confusionNote: "Rows are ground truths, columns are answers. Select a cell to see its samples.",
  abstained: "Abstained",
  cell: (truth: string, answered: string, count: number) => `${count} of ${truth} answered ${answered}`,
  reliability: "Reliability",
  reliabilityNote:
    "How often answers were correct, by predicted probability. Above: answers per bin. Lines: 95% intervals.",
  overTime: "Answers per day",
  classes: {
    title: "By value",
    value: "Value",
    support: "Support",
    answered: "Answered",
    precision: "Precision",
    recall: "Recall",
    f1: "F1",
    intervals: "In small print: 95% intervals.",
  },
  threshold: {
    title: "Threshold",
    text: "The lowest probability to act on for the precision you need.",
    value: "Answer",
    precision: "Target precision",
    result: (probability: string, precision: string, recall: string) =>
      `Act from ${probability}: ${precision} of these answers are correct, and ${recall} of such samples are found.`,
    none: "No threshold reaches this precision on the labelled samples.",
  },
};
