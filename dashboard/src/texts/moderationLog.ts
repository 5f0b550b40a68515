// Texts of the moderation log.
export const moderationLog = {
  title: "Moderation log",
  text:
    "Moderated messages with their verdicts. Moderators correct them, and the corrections lead to better " +
    "thresholds.",
  off: {
    title: "Nothing is recorded",
    text:
      "Turn the log on to keep moderated messages with their verdicts. It stores what people wrote, so it is " +
      "off until you decide.",
  },
  settings: {
    title: "Recording",
    enabled: "Record moderated messages",
    hint: "Every message that is charged from now on, with its author and channel where the request names them.",
    days: "Delete after (days)",
    daysHint: "1 to 3,650 days after they were moderated.",
    save: "Save",
    on: "Messages are recorded from now on.",
    ended: "Recording has stopped. Recorded messages stay until they expire.",
  },
  figures: {
    title: "Recorded",
    count: "Messages",
    labelled: "Corrected or confirmed",
    agreement: "Actions that were right",
    of: (count: string) => `of ${count} reviewed`,
  },
  open: { review: "Review", dataset: "All messages", analytics: "Analytics" },
};
