// Every page with its path and what it keeps in the URL. The code of a page is fetched when it is first opened, or
// before, while the browser is idle.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient } from "./api/queryClient";
import { viewerQuery } from "./api/session";
import { Overlays } from "./components/Overlays";
import { PageError } from "./components/PageError";
import { NotFound } from "./components/NotFound";
import { PageSkeleton } from "./components/PageSkeleton";
import { readQueueSearch } from "./logic/moderationFilter";
import { maySee } from "./logic/roles";
import { choice, integer, localPath, optional, text } from "./logic/search";
import { SignIn } from "./pages/SignIn";

const root = createRootRoute({ component: Overlays, notFoundComponent: NotFound });

const entry = (search: Record<string, unknown>) =>
  optional({
    next: localPath(text(search.next), isPage),
    token: text(search.token),
    email: text(search.email),
  });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: entry,
  component: SignIn,
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  validateSearch: entry,
  component: lazyRouteComponent(() => import("./pages/SignUp"), "SignUp"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  validateSearch: (search) => optional({ token: text(search.token) }),
  component: lazyRouteComponent(() => import("./pages/ResetPassword"), "ResetPassword"),
});

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: "/unsubscribe",
  validateSearch: (search) => optional({ token: text(search.token) }),
  component: lazyRouteComponent(() => import("./pages/Unsubscribe"), "Unsubscribe"),
});

/** All other pages are for those who are signed in. */
const app = createRoute({
  getParentRoute: () => root,
  id: "app",
  component: lazyRouteComponent(() => import("./components/Shell"), "Shell"),
  beforeLoad: async ({ location }) => {
    const { viewer } = await queryClient.ensureQueryData(viewerQuery);
    if (!viewer?.user) {
      const next = location.href === "/" ? undefined : location.href;
      throw redirect({ to: "/sign-in", search: optional({ next }) });
    }
    if (viewer.role === "MODERATOR" && !maySee(viewer, location.pathname)) throw redirect({ to: "/moderation" });
  },
  onEnter: () => void setTimeout(() => void preloadPages(), 2_000),
});

/** A page of a list: by its cursor, and by the number of the row that the cursor is of. */
const pages = (search: Record<string, unknown>) => ({
  after: text(search.after),
  before: text(search.before),
  at: integer(search.at),
});

const overview = createRoute({
  getParentRoute: () => app,
  path: "/",
  validateSearch: (search) =>
    optional({ days: choice(search.days, [7, 90]), by: choice(search.by, ["JUDGE", "PAYER"]) }),
  component: lazyRouteComponent(() => import("./pages/overview/Overview"), "Overview"),
});
const playground = createRoute({
  getParentRoute: () => app,
  path: "/playground",
  validateSearch: (search) => optional({ tab: choice(search.tab, ["batch", "image", "inference"]) }),
  component: lazyRouteComponent(() => import("./pages/playground/Playground"), "Playground"),
});
const keys = createRoute({
  getParentRoute: () => app,
  path: "/keys",
  validateSearch: (search) => optional({ ...pages(search), revoked: search.revoked ? true : undefined }),
  component: lazyRouteComponent(() => import("./pages/Keys"), "Keys"),
});
const judges = createRoute({
  getParentRoute: () => app,
  path: "/judges",
  validateSearch: (search) =>
    optional({ ...pages(search), name: text(search.name), archived: search.archived ? true : undefined }),
  component: lazyRouteComponent(() => import("./pages/judges/Judges"), "Judges"),
});
const newJudge = createRoute({
  getParentRoute: () => app,
  path: "/judges/new",
  validateSearch: (search) => optional({ template: text(search.template) }),
  component: lazyRouteComponent(() => import("./pages/judges/NewJudge"), "NewJudge"),
});
const judge = createRoute({
  getParentRoute: () => app,
  path: "/judges/$judgeId",
  component: lazyRouteComponent(() => import("./pages/judge/Judge"), "Judge"),
});
const tryOut = createRoute({
  getParentRoute: () => judge,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/judge/TryOut"), "TryOut"),
});
const questions = createRoute({
  getParentRoute: () => judge,
  path: "questions",
  component: lazyRouteComponent(() => import("./pages/judge/Questions"), "Questions"),
});
const dataset = createRoute({
  getParentRoute: () => judge,
  path: "dataset",
  validateSearch: (search) =>
    optional({
      ...pages(search),
      order: choice(search.order, ["OLDEST_FIRST", "LEAST_CERTAIN_FIRST"]),
      labelled: choice(search.labelled, ["yes", "no"]),
      source: choice(search.source, ["INFERENCE", "IMPORT"]),
      version: integer(search.version),
      days: integer(search.days),
      key: text(search.key),
      value: text(search.value),
      truth: text(search.truth),
      text: text(search.text),
      agrees: choice(search.agrees, ["yes", "no"]),
      sample: text(search.sample),
    }),
  component: lazyRouteComponent(() => import("./pages/dataset/Dataset"), "Dataset"),
});
const review = createRoute({
  getParentRoute: () => judge,
  path: "review",
  validateSearch: (search) => optional({ key: text(search.key) }),
  component: lazyRouteComponent(() => import("./pages/review/Review"), "Review"),
});
const analytics = createRoute({
  getParentRoute: () => judge,
  path: "analytics",
  validateSearch: (search) =>
    optional({ key: text(search.key), version: integer(search.version), days: integer(search.days) }),
  component: lazyRouteComponent(() => import("./pages/analytics/Analytics"), "Analytics"),
});
const judgeCheckpoints = createRoute({
  getParentRoute: () => judge,
  path: "checkpoints",
  validateSearch: (search) => optional(pages(search)),
  component: lazyRouteComponent(() => import("./pages/checkpoints/JudgeCheckpoints"), "JudgeCheckpoints"),
});
const judgeEvaluations = createRoute({
  getParentRoute: () => judge,
  path: "evaluations",
  validateSearch: (search) => optional({ ...pages(search), old: text(search.old), new: text(search.new) }),
  component: lazyRouteComponent(() => import("./pages/evaluations/JudgeEvaluations"), "JudgeEvaluations"),
});
const checkpoint = createRoute({
  getParentRoute: () => app,
  path: "/checkpoints/$checkpointId",
  component: lazyRouteComponent(() => import("./pages/checkpoints/Checkpoint"), "Checkpoint"),
});
const evaluation = createRoute({
  getParentRoute: () => app,
  path: "/evaluations/$evaluationId",
  validateSearch: (search) =>
    optional({
      ...pages(search),
      key: text(search.key),
      truth: text(search.truth),
      answer: text(search.answer),
      mistakes: search.mistakes ? true : undefined,
    }),
  component: lazyRouteComponent(() => import("./pages/evaluations/Evaluation"), "Evaluation"),
});
const policies = createRoute({
  getParentRoute: () => app,
  path: "/policies",
  validateSearch: (search) =>
    optional({ ...pages(search), name: text(search.name), archived: search.archived ? true : undefined }),
  component: lazyRouteComponent(() => import("./pages/policies/Policies"), "Policies"),
});
const moderation = createRoute({
  getParentRoute: () => app,
  path: "/moderation",
  component: lazyRouteComponent(() => import("./pages/moderation/Moderation"), "Moderation"),
});
const moderationQueue = createRoute({
  getParentRoute: () => moderation,
  path: "/",
  validateSearch: readQueueSearch,
  component: lazyRouteComponent(() => import("./pages/moderation/Queue"), "Queue"),
});
const moderationInsights = createRoute({
  getParentRoute: () => moderation,
  path: "insights",
  validateSearch: (search) => optional({ days: choice(search.days, [7, 90]) }),
  component: lazyRouteComponent(() => import("./pages/moderation/insights/Insights"), "Insights"),
});
const moderationSettings = createRoute({
  getParentRoute: () => moderation,
  path: "settings",
  component: lazyRouteComponent(() => import("./pages/moderation/Recording"), "Recording"),
});
/** Where the moderation log was. */
const moderationLog = createRoute({
  getParentRoute: () => app,
  path: "/moderation-log",
  beforeLoad: () => {
    throw redirect({ to: "/moderation" });
  },
});
const newPolicy = createRoute({
  getParentRoute: () => app,
  path: "/policies/new",
  component: lazyRouteComponent(() => import("./pages/policies/NewPolicy"), "NewPolicy"),
});
const policy = createRoute({
  getParentRoute: () => app,
  path: "/policies/$policyId",
  component: lazyRouteComponent(() => import("./pages/policies/Policy"), "Policy"),
});
const batches = createRoute({
  getParentRoute: () => app,
  path: "/batches",
  validateSearch: (search) => optional(pages(search)),
  component: lazyRouteComponent(() => import("./pages/batches/Batches"), "Batches"),
});
const batch = createRoute({
  getParentRoute: () => app,
  path: "/batches/$batchId",
  component: lazyRouteComponent(() => import("./pages/batches/Batch"), "Batch"),
});
const webhooks = createRoute({
  getParentRoute: () => app,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./pages/webhooks/Webhooks"), "Webhooks"),
});
const webhook = createRoute({
  getParentRoute: () => app,
  path: "/webhooks/$webhookId",
  validateSearch: (search) =>
    optional({ ...pages(search), state: choice(search.state, ["DELIVERED", "FAILED", "QUEUED"]) }),
  component: lazyRouteComponent(() => import("./pages/webhooks/Webhook"), "Webhook"),
});
const ledger = createRoute({
  getParentRoute: () => app,
  path: "/ledger",
  validateSearch: (search) =>
    optional({
      ...pages(search),
      kind: choice(search.kind, ["CHARGE", "GRANT", "REFUND", "ADJUSTMENT"]),
      days: integer(search.days),
      request: text(search.request),
    }),
  component: lazyRouteComponent(() => import("./pages/Ledger"), "Ledger"),
});
const requests = createRoute({
  getParentRoute: () => app,
  path: "/requests",
  validateSearch: (search) =>
    optional({
      ...pages(search),
      tab: choice(search.tab, ["charged"]),
      id: text(search.id),
      status: integer(search.status),
      key: text(search.key),
      shown: text(search.shown),
    }),
  component: lazyRouteComponent(() => import("./pages/requests/Requests"), "Requests"),
});
const people = createRoute({
  getParentRoute: () => app,
  path: "/people",
  component: lazyRouteComponent(() => import("./pages/People"), "People"),
});
const audit = createRoute({
  getParentRoute: () => app,
  path: "/audit",
  validateSearch: (search) => optional({ ...pages(search), action: text(search.action) }),
  component: lazyRouteComponent(() => import("./pages/Audit"), "Audit"),
});
const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/Settings"), "Settings"),
});
const glossary = createRoute({
  getParentRoute: () => app,
  path: "/glossary",
  component: lazyRouteComponent(() => import("./pages/glossary/Glossary"), "Glossary"),
});
/** The deployment, for its operators. */
const operator = createRoute({
  getParentRoute: () => app,
  path: "/operator",
  component: lazyRouteComponent(() => import("./pages/operator/Operator"), "Operator"),
});
const deployment = createRoute({
  getParentRoute: () => operator,
  path: "/",
  validateSearch: (search) => optional({ ...pages(search), id: text(search.id), shown: text(search.shown) }),
  component: lazyRouteComponent(() => import("./pages/operator/Deployment"), "Deployment"),
});
const accounts = createRoute({
  getParentRoute: () => operator,
  path: "accounts",
  validateSearch: (search) => optional({ ...pages(search), query: text(search.query) }),
  component: lazyRouteComponent(() => import("./pages/operator/Accounts"), "Accounts"),
});
const prices = createRoute({
  getParentRoute: () => operator,
  path: "prices",
  component: lazyRouteComponent(() => import("./pages/operator/Prices"), "Prices"),
});
const jobs = createRoute({
  getParentRoute: () => operator,
  path: "jobs",
  validateSearch: (search) =>
    optional({
      ...pages(search),
      state: choice(search.state, ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"]),
      subject: text(search.subject),
      shown: text(search.shown),
    }),
  component: lazyRouteComponent(() => import("./pages/operator/Jobs"), "Jobs"),
});
const models = createRoute({
  getParentRoute: () => operator,
  path: "models",
  component: lazyRouteComponent(() => import("./pages/operator/Models"), "Models"),
});
/** Every other path, within the frame. */
const unknown = createRoute({ getParentRoute: () => app, path: "$", component: NotFound });

const routeTree = root.addChildren([
  signIn,
  signUp,
  resetPassword,
  unsubscribe,
  app.addChildren([
    overview,
    playground,
    keys,
    judges,
    newJudge,
    judge.addChildren([tryOut, questions, dataset, review, analytics, judgeCheckpoints, judgeEvaluations]),
    policies,
    newPolicy,
    policy,
    moderation.addChildren([moderationQueue, moderationInsights, moderationSettings]),
    moderationLog,
    checkpoint,
    evaluation,
    batches,
    batch,
    webhooks,
    webhook,
    ledger,
    requests,
    people,
    audit,
    settings,
    glossary,
    operator.addChildren([deployment, accounts, prices, jobs, models]),
    unknown,
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: PageSkeleton,
  defaultPreload: "intent",
  scrollRestoration: true,
});

/** Whether the path is of a page for those who are signed in. */
export function isPage(path: string): boolean {
  const [routes, , found] = router.getMatchedRoutes(path);
  return (
    found !== undefined && found.id !== unknown.id && !path.startsWith("//") && routes.some(({ id }) => id === app.id)
  );
}

/** Resolves when the browser has nothing to do. Safari does not say when that is. */
const idle = () =>
  new Promise<void>((done) =>
    "requestIdleCallback" in window ? requestIdleCallback(() => done(), { timeout: 500 }) : setTimeout(done, 50),
  );

/**
 * Fetches the code of all pages, so that each opens at once, and also while the server is away. One by one, so that
 * nobody waits for it.
 */
async function preloadPages() {
  for (const route of Object.values(router.routesById)) {
    await idle();
    await route.options.component?.preload?.()?.catch(() => undefined);
  }
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
