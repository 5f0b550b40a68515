// Texts of a Judge's analytics.
export const analytics = {
  observed: "Right",
  ideal: "Ideal",
};
