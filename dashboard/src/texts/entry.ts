// Texts of signing in and up.
export const entry = {
  pitch: "Content in, decisions out.",
  email: "E-mail address",
  password: "Password",
  checking: "Checking… On a new device, this takes a moment.",
  missing: "Enter your email address and your password.",
  ended: {
    title: "Sign in again",
    text: "Your session has ended. Sign in to continue where you left off: nothing on this page is lost.",
    leave: "Leave the page",
  },
  signIn: {
    title: "Sign in",
    text: "To your Gavel account.",
    submit: "Sign in",
    other: "No account yet?",
    otherLink: "Sign up",
  },
  signUp: {
    title: "Sign up",
    text: "Your own account, on this server.",
    invited: "You were invited: sign up with the address that the invitation names.",
    passwordHint: "At least 10 characters.",
    token: "Invitation token",
    tokenHint: "If an owner of an account invited you.",
    submit: "Create account",
    other: "Have an account?",
    otherLink: "Sign in",
  },
};
