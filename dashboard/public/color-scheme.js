// Runs before anything is painted, so that a dark page never flashes white. A file of its own, since the
// Content-Security-Policy allows no script within the page.
(function () {
  var chosen = null;
  try {
    chosen = window.localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage may be blocked: then the system's preference decides.
  }
  var dark = chosen === "dark" || (chosen !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
