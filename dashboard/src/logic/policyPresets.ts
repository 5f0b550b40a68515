// Sets of thresholds to begin a policy with.
import {
  CATEGORIES,
  type Category,
  type CategoryForm,
  RULE_ACTIONS,
  type Rules,
  type RulesForm,
  formOf,
} from "./policyRules";

export const PRESETS = ["relaxed", "standard", "strict", "kids"] as const;
export type Preset = (typeof PRESETS)[number];

/** The thresholds of a review, a warning, a timeout and a ban; null for never. */
type Row = [review: number | null, warn: number | null, timeout: number | null, ban: number | null];

// People who speak of harming themselves need help, not a punishment: `self_harm` leads to a review alone.
const ROWS: Record<Preset, Record<Category, Row>> = {
  relaxed: {
    toxic: [0.9, 0.97, null, null],
    harassment: [0.7, 0.9, 0.97, null],
    hate: [0.5, 0.7, 0.9, 0.97],
    sexual: [0.8, 0.9, 0.97, null],
    violence: [0.5, 0.8, 0.9, 0.97],
    self_harm: [0.5, null, null, null],
    spam: [0.8, 0.9, 0.97, null],
    scam: [0.5, 0.8, 0.9, 0.95],
    sexual_minors: [0.2, 0.5, 0.6, 0.8],
    illicit: [0.6, 0.9, 0.97, null],
    extremism: [0.4, 0.8, 0.9, 0.97],
  },
  standard: {
    toxic: [0.7, 0.85, 0.97, null],
    harassment: [0.5, 0.75, 0.9, 0.98],
    hate: [0.3, 0.55, 0.75, 0.92],
    sexual: [0.6, 0.8, 0.92, null],
    violence: [0.4, 0.65, 0.85, 0.95],
    self_harm: [0.3, null, null, null],
    spam: [0.6, 0.8, 0.92, null],
    scam: [0.4, 0.7, 0.85, 0.92],
    sexual_minors: [0.15, 0.4, 0.5, 0.7],
    illicit: [0.4, 0.8, 0.92, null],
    extremism: [0.3, 0.7, 0.85, 0.95],
  },
  strict: {
    toxic: [0.5, 0.65, 0.85, 0.97],
    harassment: [0.3, 0.55, 0.75, 0.92],
    hate: [0.2, 0.4, 0.6, 0.85],
    sexual: [0.4, 0.6, 0.8, 0.95],
    violence: [0.3, 0.5, 0.7, 0.9],
    self_harm: [0.2, null, null, null],
    spam: [0.4, 0.65, 0.85, 0.97],
    scam: [0.3, 0.55, 0.75, 0.9],
    sexual_minors: [0.1, 0.3, 0.4, 0.6],
    illicit: [0.3, 0.65, 0.85, 0.95],
    extremism: [0.2, 0.55, 0.75, 0.9],
  },
  kids: {
    toxic: [0.3, 0.5, 0.7, 0.92],
    harassment: [0.2, 0.4, 0.6, 0.85],
    hate: [0.1, 0.3, 0.5, 0.75],
    sexual: [0.15, 0.3, 0.5, 0.75],
    violence: [0.2, 0.4, 0.6, 0.85],
    self_harm: [0.1, null, null, null],
    spam: [0.3, 0.5, 0.75, 0.92],
    scam: [0.2, 0.4, 0.6, 0.85],
    sexual_minors: [0.05, 0.2, 0.3, 0.5],
    illicit: [0.2, 0.4, 0.6, 0.85],
    extremism: [0.1, 0.4, 0.6, 0.85],
  },
};

/** The categories of a preset, as the API takes them. */
export function presetCategories(preset: Preset): NonNullable<Rules["categories"]> {
  return Object.fromEntries(
    CATEGORIES.map((category) => {
      const row = ROWS[preset][category];
      const given = RULE_ACTIONS.flatMap((action, index) =>
        row[index] == null ? [] : [[action, row[index]] as const],
      );
      return [category, { thresholds: Object.fromEntries(given) }];
    }),
  );
}

/** With the categories of a preset, or of none. The lists and all else stay. */
export function withPreset(form: RulesForm, preset: Preset | undefined): RulesForm {
  return { ...form, categories: formOf(preset ? { categories: presetCategories(preset) } : {}).categories };
}

/** The preset whose categories a form has. */
export function presetOf(form: RulesForm): Preset | undefined {
  return PRESETS.find((preset) => {
    const { categories } = withPreset(form, preset);
    return CATEGORIES.every((name) => isSame(categories[name], form.categories[name]));
  });
}

function isSame(a: CategoryForm, b: CategoryForm): boolean {
  return (
    a.enabled === b.enabled &&
    Number(a.weight) === Number(b.weight) &&
    RULE_ACTIONS.every((action) => String(a.thresholds[action]) === String(b.thresholds[action]))
  );
}
