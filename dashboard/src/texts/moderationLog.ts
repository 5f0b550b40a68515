// Texts of the moderation log: its name, and whether it records.
export const moderationLog = {
  title: "Moderation",
  settings: {
    title: "Recording",
    enabled: "Record moderated messages",
    hint: "Every message that is charged from now on, with its author and channel if the request names them.",
    days: "Delete after (days)",
    daysHint: "1 to 3,650 days after moderation.",
    save: "Save",
    unchanged: "There is nothing to save.",
    on: "Messages are recorded from now on.",
    ended: "Recording has stopped. Recorded messages stay until they expire.",
  },
  figures: {
    title: "Recorded",
    count: "Messages",
    labelled: "Decided",
    agreement: "Verdicts that were right",
    of: (count: string) => `of ${count} decided`,
  },
  data: {
    title: "Data and measurement",
    text: "The log is a dataset: export it, label individual categories, and measure the verdicts.",
    dataset: "Dataset and export",
    analytics: "Analytics",
    review: "Review the least certain",
  },
};
