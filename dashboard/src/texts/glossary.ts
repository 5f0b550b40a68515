// What the terms of the dashboard mean. A term's id is its address on the page.
export interface Term {
  id: string;
  name: string;
  text: string;
}

export const glossary = {
  title: "Glossary",
  text: "What the words in this dashboard, the API and the documentation mean.",
  search: "Find a term",
  nothing: "No term matches.",
  help: (name: string) => `What is “${name}”?`,
  groups: [
    {
      title: "Decisions",
      terms: [
        {
          id: "judge",
          name: "Judge",
          text: "Saved questions with an address of their own. Programs send content to it and get the answers.",
        },
        {
          id: "question",
          name: "Question",
          text: "One thing that is decided about the content. It has a key, a type, and the values to choose from.",
        },
        { id: "key", name: "Key", text: "The short name of a question, under which its answer appears in a response." },
        { id: "choice", name: "Choice", text: "A question whose answer is one of several options." },
        {
          id: "score",
          name: "Score",
          text: "A question whose answer is a level on a scale, such as none, some, much. Levels count from 0.",
        },
        {
          id: "noul",
          name: "Yes or no (noul)",
          text:
            "A question that is answered by yes or no. The API calls the type noul, and answers with the probability " +
            "of yes.",
        },
        {
          id: "state",
          name: "Content (state)",
          text: "What is decided about: a text, or any JSON. The API calls it state.",
        },
        {
          id: "version",
          name: "Version",
          text: "The questions of a Judge, or the rules of a policy, between two changes. Old versions are kept.",
        },
        {
          id: "certainty",
          name: "Certainty",
          text: "The probability of the least certain answer of a sample. Low certainty is worth a review.",
        },
        {
          id: "abstain",
          name: "Abstain",
          text: "To give no answer, because even the most probable one is below the limit that you have set.",
        },
      ],
    },
    {
      title: "Learning from people",
      terms: [
        { id: "sample", name: "Sample", text: "One piece of content in a Judge's dataset, with its answers." },
        { id: "dataset", name: "Dataset", text: "All samples of a Judge: recorded requests, and imported files." },
        {
          id: "ground-truth",
          name: "Ground truth",
          text: "The right answer to a question about a sample, given by a person or by an imported file. Also: label.",
        },
        {
          id: "checkpoint",
          name: "Checkpoint",
          text: "A model that is trained on a Judge's ground truths. It answers once you activate it.",
        },
        { id: "base-model", name: "Base model", text: "The model that answers without a Checkpoint." },
        {
          id: "evaluation",
          name: "Evaluation",
          text: "A run that asks a Judge about its labelled samples again and compares answers with ground truths.",
        },
        {
          id: "held-out",
          name: "Held-out samples",
          text: "Labelled samples that are kept out of training, so that they can show whether it helped.",
        },
      ],
    },
    {
      title: "Figures",
      terms: [
        { id: "accuracy", name: "Accuracy", text: "The share of labelled samples whose answer is the ground truth." },
        {
          id: "interval",
          name: "95% interval",
          text: "Where the true share probably lies. The fewer the samples, the wider the interval.",
        },
        { id: "precision", name: "Precision", text: "Of the answers with a value, the share that is right." },
        {
          id: "recall",
          name: "Recall",
          text: "Of the samples whose ground truth is a value, the share that is found.",
        },
        {
          id: "macro-f1",
          name: "Macro-F1",
          text: "F1 joins precision and recall in one figure. Macro-F1 is its mean over all values; 1 is best.",
        },
        {
          id: "kappa",
          name: "Cohen's κ",
          text: "Agreement beyond chance: 0 is what guessing achieves, 1 is perfect agreement.",
        },
        {
          id: "log-loss",
          name: "Log loss",
          text: "How surprised the probabilities are by the ground truths; 0 is best. It punishes confident mistakes.",
        },
        {
          id: "brier-score",
          name: "Brier score",
          text: "The mean squared distance between the probabilities and the ground truths: 0 is best, 2 is worst.",
        },
        {
          id: "calibration-error",
          name: "Calibration error",
          text:
            "How far probabilities are from the share of right answers (ECE); 0 is best. Of answers with 80% " +
            "probability, 80% should be right.",
        },
        {
          id: "confusion-matrix",
          name: "Confusion matrix",
          text: "A table of ground truths and answers that shows which values are mistaken for which.",
        },
        {
          id: "threshold",
          name: "Threshold",
          text: "The probability at or above which you act. A higher one makes fewer mistakes and misses more.",
        },
      ],
    },
    {
      title: "Moderation",
      terms: [
        { id: "action", name: "Action", text: "What Gavel recommends for a message: none, warn, timeout or ban." },
        {
          id: "threat-score",
          name: "Threat score",
          text: "The weight of all signals against a message. A warning begins at about 1; there is no upper limit.",
        },
        {
          id: "signal",
          name: "Signal",
          text: "Something in a message that speaks for or against it, with its weight.",
        },
        {
          id: "policy",
          name: "Policy",
          text: "Your own moderation rules: thresholds, blocked and allowed words, domains and languages.",
        },
        {
          id: "moderation-log",
          name: "Moderation log",
          text: "The recorded messages with their verdicts, for review and for measuring agreement.",
        },
      ],
    },
    {
      title: "Account",
      terms: [
        { id: "credit", name: "Credit", text: "What requests are paid with. The ledger lists each credit in and out." },
        {
          id: "hold",
          name: "Held credits",
          text: "Credits set aside for work in progress. What is not used is released.",
        },
        { id: "batch", name: "Batch", text: "Many requests in one file that run in the background." },
        { id: "webhook", name: "Webhook", text: "A signed request to your server when work in the background ends." },
      ],
    },
  ],
} as const;

export type TermId = (typeof glossary.groups)[number]["terms"][number]["id"];
