// The look: ink on paper, hairlines, one green. Sizes are small, since people compare many rows.
import { Alert, Button, Card, createTheme, type MantineColorsTuple } from "@mantine/core";
import { shell } from "./texts/shell";

const pine: MantineColorsTuple = [
  "#eaf6f2",
  "#d5ece4",
  "#a9d9ca",
  "#79c5ae",
  "#4fb395",
  "#2f9f80",
  "#178a6c",
  "#0b7259",
  "#085c48",
  "#044637",
];
// Greys with a little green, from paper to ink.
const gray: MantineColorsTuple = [
  "#f8f9f8",
  "#f1f3f2",
  "#e6e9e7",
  "#d7dbd9",
  "#bcc2bf",
  "#98a09c",
  "#5f6864",
  "#57605c",
  "#39413e",
  "#1d2321",
];
const dark: MantineColorsTuple = [
  "#d3d8d6",
  "#b4bbb8",
  "#96a09b",
  "#6a7470",
  "#3b4340",
  "#2b3230",
  "#1f2523",
  "#171c1a",
  "#121614",
  "#0d100f",
];

// Mantine's, darkened at the end where text and buttons need more contrast.
const red: MantineColorsTuple = [
  "#fff5f5",
  "#ffe3e3",
  "#ffc9c9",
  "#ffa8a8",
  "#ff8787",
  "#ff6b6b",
  "#d92d2d",
  "#c62828",
  "#b71c1c",
  "#9c1616",
];
const yellow: MantineColorsTuple = [
  "#fff9db",
  "#fff3bf",
  "#ffec99",
  "#ffe066",
  "#ffd43b",
  "#fcc419",
  "#f0ad0a",
  "#c98500",
  "#9a6500",
  "#6f4800",
];
const orange: MantineColorsTuple = [
  "#fff4e6",
  "#ffe8cc",
  "#ffd8a8",
  "#ffc078",
  "#ffa94d",
  "#ff922b",
  "#f07b12",
  "#c9570a",
  "#ae4508",
  "#8a3706",
];

/** What screen readers say of the cross in a corner. */
const CLOSE = { "aria-label": shell.close };

export const theme = createTheme({
  primaryColor: "pine",
  primaryShade: 7,
  autoContrast: true,
  luminanceThreshold: 0.34,
  colors: { pine, gray, dark, red, yellow, orange },
  black: "#1d2321",
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  defaultRadius: "md",
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "16px" },
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: "sm" }, styles: { label: { fontWeight: 550 } } }),
    Card: Card.extend({ defaultProps: { withBorder: true, padding: "md", radius: "lg" } }),
    Alert: Alert.extend({ defaultProps: { radius: "lg", variant: "light" } }),
    // Without their code, which not every page needs.
    Badge: {
      defaultProps: { variant: "light", radius: "sm", tt: "none" },
      styles: { root: { fontWeight: 550, textTransform: "none" } },
    },
    Tooltip: { defaultProps: { openDelay: 200, withArrow: true } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: "sm", highlightOnHover: true } },
    Modal: {
      defaultProps: {
        closeButtonProps: CLOSE,
        radius: "lg",
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 1 },
      },
      styles: { title: { fontWeight: 600, fontSize: "1rem" } },
    },
    Notification: { defaultProps: { closeButtonProps: CLOSE } },
    Drawer: { defaultProps: { closeButtonProps: CLOSE } },
    FileInput: { defaultProps: { clearButtonProps: { "aria-label": shell.clear } } },
  },
});
