/** The texts of the account pages. */
export interface PageTexts {
  invite: { title: string; text: string; button: string; done: string }
  reset: { title: string; text: string; button: string; done: string }
  forgot: { title: string; text: string; button: string; done: string }
  sso: { title: string; text: string; button: string; done: string; failed: string }
  gone: { title: string; invite: string; reset: string; again: string }
  /** link to the hub's start page */
  signIn: string
  goOn: string
  email: string
  password: string
  passwordHint: string
  repeat: string
  differ: string
  weak: string
  locked: string
  tooMany: string
  away: string
  wrong: string
  failed: string
  /** refusals of an SSO sign-in by code */
  ssoFaults: Record<string, string>
}

const en: PageTexts = {
  invite: {
    title: 'Accept the invitation',
    text: 'Choose a password for your account.',
    button: 'Set password',
    done: 'Your account is ready. You can sign in now.',
  },
  reset: {
    title: 'Choose a new password',
    text: 'You will be signed out everywhere else.',
    button: 'Set new password',
    done: 'Your password was changed. You can sign in now.',
  },
  forgot: {
    title: 'Forgot your password?',
    text: 'Tell us your e-mail address, and we send a link with which you choose a new one.',
    button: 'Send link',
    done: 'If somebody has an account with this address, a link is on its way. It works for an hour.',
  },
  sso: {
    title: 'Almost there',
    text: 'Your company has confirmed who you are.',
    button: 'Sign in to Haltless',
    done: 'You are signed in.',
    failed: 'Signing in did not work',
  },
  gone: {
    title: 'This link no longer works',
    invite:
      'It was used before, has run out, or was replaced by a newer one. If you have a password, sign in. Else ask an administrator of your company to invite you again.',
    reset: 'It was used before, has run out, or was replaced by a newer one.',
    again: 'Send another link',
  },
  signIn: 'Go to the sign-in',
  goOn: 'Go to Haltless',
  email: 'E-mail address',
  password: 'New password',
  passwordHint: 'At least 8 characters, with an upper-case letter, a lower-case letter and a digit.',
  repeat: 'Repeat the password',
  differ: 'The two passwords differ.',
  weak: 'The password needs 8 to 128 characters, with an upper-case letter, a lower-case letter and a digit.',
  locked: 'Too many attempts from here. Try again in 15 minutes.',
  tooMany: 'Too many requests from here. Try again in a minute.',
  away: 'The hub cannot reach its database right now. Try again in a few seconds.',
  wrong: 'Something went wrong. Begin again.',
  failed: 'That did not work',
  ssoFaults: {
    email_not_verified: 'Your identity provider has not verified your e-mail address. Ask your IT department.',
    email_domain_not_allowed: "Your e-mail address is not of your company's domain.",
    email_of_other_tenant: 'Your e-mail address has an account at another company on this hub.',
    user_deactivated: 'Your account was deactivated. Ask an administrator of your company.',
    sso_state_invalid: 'This sign-in has run out or was finished already. Begin again.',
    sso_failed: 'Your identity provider did not confirm who you are. Begin again.',
    sso_provider_away: 'Your identity provider cannot be reached right now. Try again later.',
    sso_code_invalid: 'This sign-in has run out or was finished already. Begin again.',
  },
}

const de: PageTexts = {
  invite: {
    title: 'Einladung annehmen',
    text: 'Wählen Sie ein Passwort für Ihr Konto.',
    button: 'Passwort setzen',
    done: 'Ihr Konto ist bereit. Sie können sich jetzt anmelden.',
  },
  reset: {
    title: 'Neues Passwort wählen',
    text: 'Überall sonst werden Sie abgemeldet.',
    button: 'Neues Passwort setzen',
    done: 'Ihr Passwort wurde geändert. Sie können sich jetzt anmelden.',
  },
  forgot: {
    title: 'Passwort vergessen?',
    text: 'Nennen Sie uns Ihre E-Mail-Adresse, und wir senden einen Link, mit dem Sie ein neues wählen.',
    button: 'Link senden',
    done: 'Falls es ein Konto mit dieser Adresse gibt, ist ein Link unterwegs. Er gilt eine Stunde.',
  },
  sso: {
    title: 'Fast geschafft',
    text: 'Ihr Unternehmen hat bestätigt, wer Sie sind.',
    button: 'Bei Haltless anmelden',
    done: 'Sie sind angemeldet.',
    failed: 'Die Anmeldung hat nicht geklappt',
  },
  gone: {
    title: 'Dieser Link gilt nicht mehr',
    invite:
      'Er wurde schon benutzt, ist abgelaufen oder durch einen neueren ersetzt. Wenn Sie ein Passwort haben, melden Sie sich an. Sonst bitten Sie einen Administrator Ihres Unternehmens um eine neue Einladung.',
    reset: 'Er wurde schon benutzt, ist abgelaufen oder durch einen neueren ersetzt.',
    again: 'Einen anderen Link senden',
  },
  signIn: 'Zur Anmeldung',
  goOn: 'Zu Haltless',
  email: 'E-Mail-Adresse',
  password: 'Neues Passwort',
  passwordHint: 'Mindestens 8 Zeichen, darunter ein Großbuchstabe, ein Kleinbuchstabe und eine Ziffer.',
  repeat: 'Passwort wiederholen',
  differ: 'Die beiden Passwörter unterscheiden sich.',
  weak: 'Das Passwort braucht 8 bis 128 Zeichen, darunter ein Großbuchstabe, ein Kleinbuchstabe und eine Ziffer.',
  locked: 'Zu viele Versuche von hier. Versuchen Sie es in 15 Minuten wieder.',
  tooMany: 'Zu viele Anfragen von hier. Versuchen Sie es in einer Minute wieder.',
  away: 'Der Hub erreicht seine Datenbank gerade nicht. Versuchen Sie es in einigen Sekunden wieder.',
  wrong: 'Etwas ging schief. Beginnen Sie von vorn.',
  failed: 'Das hat nicht geklappt',
  ssoFaults: {
    email_not_verified: 'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht bestätigt. Fragen Sie Ihre IT-Abteilung.',
    email_domain_not_allowed: 'Ihre E-Mail-Adresse gehört nicht zur Domain Ihres Unternehmens.',
    email_of_other_tenant: 'Ihre E-Mail-Adresse hat auf diesem Hub ein Konto bei einem anderen Unternehmen.',
    user_deactivated: 'Ihr Konto wurde deaktiviert. Fragen Sie einen Administrator Ihres Unternehmens.',
    sso_state_invalid: 'Diese Anmeldung ist abgelaufen oder wurde schon beendet. Beginnen Sie von vorn.',
    sso_failed: 'Ihr Identitätsanbieter hat nicht bestätigt, wer Sie sind. Beginnen Sie von vorn.',
    sso_provider_away: 'Ihr Identitätsanbieter ist gerade nicht erreichbar. Versuchen Sie es später wieder.',
    sso_code_invalid: 'Diese Anmeldung ist abgelaufen oder wurde schon beendet. Beginnen Sie von vorn.',
  },
}

const TEXTS: Record<string, PageTexts> = { en, de }

/** The supported language of an Accept-Language header; the first match wins (RFC 9110, 12.5.4, without weights). */
export function textsFor(acceptLanguage: string | undefined): { language: string; texts: PageTexts } {
  const languages = (acceptLanguage ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  const language = languages.find((each) => TEXTS[each]) ?? 'en'
  return { language, texts: TEXTS[language] as PageTexts }
}
