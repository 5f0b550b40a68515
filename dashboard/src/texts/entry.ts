// Texts of signing in and up.
export const entry = {
  pitch: "Content in, decisions out.",
  email: "Email address",
  password: "Password",
  checking: "Checking… This takes a moment on a new device.",
  missing: "Enter your email address and password.",
  ended: {
    title: "Sign in again",
    text: "Your session has ended. Sign in to continue where you left off: nothing on this page is lost.",
    leave: "Leave the page",
  },
  signIn: {
    title: "Sign in",
    text: "Use your account on this server.",
    submit: "Sign in",
    other: "No account yet?",
    otherLink: "Sign up",
  },
  signUp: {
    title: "Sign up",
    text: "Create an account on this server.",
    invited: "You've been invited. Use the email address that was invited.",
    passwordHint: "At least 10 characters.",
    token: "Invitation token",
    tokenHint: "Only if you were invited to an account.",
    submit: "Create account",
    other: "Already have an account?",
    otherLink: "Sign in",
  },
};
