// Texts of Checkpoints and evaluations.
export const verdicts = { better: "Better", worse: "Worse", inconclusive: "Inconclusive" };

export const checkpoints = {
  text:
    "A Checkpoint trains the model on the ground truths that people gave for this Judge. It goes live when you " +
    "activate it.",
  submit: "Train a Checkpoint",
  empty: {
    title: "No Checkpoint yet",
    text:
      "At least 8 samples need a ground truth. Twenty held out (about a hundred labelled) are needed to show " +
      "that a Checkpoint is better.",
  },
  labelled: (labelled: string) => `${labelled} labelled samples`,
  columns: {
    state: "State",
    created: "Submitted",
    version: "Version",
    accuracy: "Accuracy, live → Checkpoint",
    verdict: "Verdict",
    live: "",
  },
  states: { QUEUED: "Queued", RUNNING: "Training", SUCCEEDED: "Ready", FAILED: "Failed", CANCELLED: "Cancelled" },
  live: "Live",
  confirm: {
    title: "Train a Checkpoint?",
    price: (price: string, available: string) =>
      `It costs ${price} credits: held now, charged when it succeeds, released when it fails or is cancelled. You ` +
      `have ${available}.`,
    what: "It learns in the background from the ground truths as they are now. Requests are answered as before.",
    auto: "Activate it automatically if it is better",
    autoHint: "Only on significant evidence, over at least 20 samples that training never saw.",
    action: (price: string) => `Hold ${price} credits and train`,
    poor: "The account has too few credits.",
  },
  submitted: "Training started.",
  page: {
    title: (judge: string) => `Checkpoint of ${judge}`,
    back: "All Checkpoints of the Judge",
    progress: "Progress",
    left: (time: string) => `about ${time} left`,
    cancel: "Cancel training",
    cancelTitle: "Cancel this training?",
    cancelText: "Its progress is lost, and the held credits are released.",
    cancelled: "Cancelled; the held credits were released.",
    activate: "Activate",
    activateTitle: "Let this Checkpoint answer?",
    activateText: "It answers the Judge's requests at once, on every replica. You can roll back at any time.",
    activated: "The Checkpoint now answers.",
    deactivate: "Roll back to the base model",
    deactivateTitle: "Roll back?",
    deactivateText:
      "The base model answers the Judge's requests at once. The Checkpoint stays and can be activated again.",
    deactivated: "The base model now answers.",
    events: "Log",
    metrics: "Compared with the live model",
    metricsNote: (trained: number, held: number) =>
      `Trained on ${trained} samples; both asked about the same ${held} that training never saw.`,
    columns: {
      key: "Question",
      live: "Live",
      checkpoint: "Checkpoint",
      accuracy: "Accuracy",
      f1: "Macro-F1",
      loss: "Log loss",
      ece: "Calibration",
    },
    noMetrics: "Figures appear when it is ready.",
    facts: { submitted: "Submitted", price: "Price", took: "Took" },
    missing: { title: "There is no such Checkpoint", text: "The link is wrong, or it belongs to another account." },
    liveNow: "This Checkpoint answers the Judge's requests.",
  },
};

export const evaluations = {
  text:
    "An evaluation asks the Judge about its labelled samples again, to compare two versions, or a Checkpoint " +
    "and the base model.",
  start: "Evaluate",
  empty: { title: "No evaluation yet", text: "Label or import samples, then see how many the Judge gets right." },
  columns: {
    run: "Answered by",
    state: "State",
    samples: "Samples",
    accuracy: "Accuracy",
    created: "Started",
    compare: "Compare",
  },
  states: { QUEUED: "Queued", RUNNING: "Running", SUCCEEDED: "Done", FAILED: "Failed", CANCELLED: "Cancelled" },
  by: { checkpoint: "Checkpoint", model: "Base model" },
  version: (version: number) => `version ${version}`,
  compareSelected: "Compare the two",
  compareHint: "Choose two runs that are done.",
  select: "Choose for comparison",
  confirm: {
    title: "Evaluate the Judge?",
    who: "Who answers",
    whos: { now: "As the Judge answers now", zeroShot: "The base model, without a Checkpoint" },
    version: "Questions of version",
    scope: "Samples",
    since: "From",
    until: "Before",
    source: "Source",
    anySource: "Any",
    sources: { INFERENCE: "Requests", IMPORT: "Imports" },
    price: (samples: string, credits: string) =>
      `${samples} labelled samples: up to ${credits} credits, charged as they are answered.`,
    action: (credits: string) => `Evaluate for up to ${credits} credits`,
    pricing: "Getting the price…",
  },
  scopes: {
    UNSEEN: "Those the Checkpoint was not trained on",
    HELD_OUT: "Those held out of its training",
    NEW: "Those newer than its training",
    ALL: "All, with those it was trained on apart",
  },
  started: "Evaluation started.",
  page: {
    title: (judge: string) => `Evaluation of ${judge}`,
    cancel: "Cancel",
    cancelled: "Cancelled; unanswered samples cost nothing.",
    progress: (done: string, all: string) => `${done} of ${all} samples`,
    missing: { title: "There is no such evaluation", text: "The link is wrong, or it belongs to another account." },
    confusion: "Confusion matrix",
    trained: (accuracy: string, answers: string) =>
      `On samples that the Checkpoint was trained on, which flatter it: ${accuracy} of ${answers} answers.`,
    all: "All labelled samples",
    from: (date: string) => `from ${date}`,
    before: (date: string) => `before ${date}`,
    ofVersion: (version: number) => `of version ${version}`,
    figures: {
      accuracy: "Accuracy",
      interval: "95% interval",
      f1: "Macro-F1",
      kappa: "κ",
      loss: "Log loss",
      brier: "Brier",
      ece: "Calibration error",
      count: "Answers",
    },
  },
  comparison: {
    title: "Comparison",
    close: "Back to the runs",
    before: "Before",
    after: "After",
    changes: "Answers that changed",
    noChanges: "No answer changed.",
    columns: { sample: "Content", key: "Question", truth: "Ground truth", old: "Before", new: "After" },
    improved: "Better",
    worse: "Worse",
  },
};
