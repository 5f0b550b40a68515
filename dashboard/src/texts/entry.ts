// Texts of signing in and up.
export const entry = {
  signIn: {
    title: "Sign in",
    text: "To your Gavel account.",
    email: "E-mail address",
    password: "Password",
    submit: "Sign in",
    other: "No account yet?",
    otherLink: "Sign up",
    ended: "Your session has ended. Sign in again; you will be back where you were.",
  },
  signUp: {
    title: "Sign up",
    text: "Your own account, on this server.",
    invited: "You were invited: sign up with the address that the invitation names.",
    email: "E-mail address",
    password: "Password",
    passwordHint: "At least 10 characters.",
    token: "Invitation token",
    tokenHint: "If an owner of an account invited you.",
    submit: "Create account",
    other: "Have an account?",
    otherLink: "Sign in",
  },
  pitch: "Content in, decisions out.",
};
