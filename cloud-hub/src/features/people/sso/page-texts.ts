import { type Language, languageOf } from '@haltless/protocol/languages'
/** The texts of the page that SSO returns to. */
export interface SsoPageTexts {
  title: string
  text: string
  button: string
  done: string
  failed: string
  goOn: string
  locked: string
  tooMany: string
  away: string
  wrong: string
  /** refusals of an SSO sign-in by code */
  ssoFaults: Record<string, string>
}

const en: SsoPageTexts = {
  title: 'Almost there',
  text: 'Your company has confirmed who you are.',
  button: 'Sign in to Haltless',
  done: 'You are signed in.',
  failed: 'Signing in did not work',
  goOn: 'Go to Haltless',
  locked: 'Too many attempts from here. Try again in 15 minutes.',
  tooMany: 'Too many requests from here. Try again in a minute.',
  away: 'The hub cannot reach its database right now. Try again in a few seconds.',
  wrong: 'Something went wrong. Begin again.',
  ssoFaults: {
    email_claim_missing: 'Your identity provider did not send your e-mail address. Ask your IT department.',
    email_claim_invalid:
      'What your identity provider sent as your e-mail address is not an e-mail address. Ask your IT department.',
    email_not_verified: 'Your identity provider has not verified your e-mail address. Ask your IT department.',
    email_domain_not_allowed: "Your e-mail address is not of your company's domain.",
    no_place_for_user: 'Your company has as many users as it may have. Ask an administrator of your company to deactivate one.',
    email_of_other_tenant: 'Your e-mail address has an account at another company on this hub.',
    user_deactivated: 'Your account was deactivated. Ask an administrator of your company.',
    sso_state_invalid: 'This sign-in has run out or was finished already. Begin again.',
    sso_failed: 'Your identity provider did not confirm who you are. Begin again.',
    sso_provider_away: 'Your identity provider cannot be reached right now. Try again later.',
    sso_code_invalid: 'This sign-in has run out or was finished already. Begin again.',
  },
}

const de: SsoPageTexts = {
  title: 'Fast geschafft',
  text: 'Ihr Unternehmen hat bestätigt, wer Sie sind.',
  button: 'Bei Haltless anmelden',
  done: 'Sie sind angemeldet.',
  failed: 'Die Anmeldung hat nicht geklappt',
  goOn: 'Zu Haltless',
  locked: 'Zu viele Versuche von hier. Versuchen Sie es in 15 Minuten wieder.',
  tooMany: 'Zu viele Anfragen von hier. Versuchen Sie es in einer Minute wieder.',
  away: 'Der Hub erreicht seine Datenbank gerade nicht. Versuchen Sie es in einigen Sekunden wieder.',
  wrong: 'Etwas ging schief. Beginnen Sie von vorn.',
  ssoFaults: {
    email_claim_missing: 'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht gesendet. Fragen Sie Ihre IT-Abteilung.',
    email_claim_invalid:
      'Was Ihr Identitätsanbieter als Ihre E-Mail-Adresse gesendet hat, ist keine E-Mail-Adresse. Fragen Sie Ihre IT-Abteilung.',
    email_not_verified: 'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht bestätigt. Fragen Sie Ihre IT-Abteilung.',
    email_domain_not_allowed: 'Ihre E-Mail-Adresse gehört nicht zur Domain Ihres Unternehmens.',
    no_place_for_user:
      'Ihr Unternehmen hat so viele Benutzer, wie es haben darf. Bitten Sie einen Administrator, einen zu deaktivieren.',
    email_of_other_tenant: 'Ihre E-Mail-Adresse hat auf diesem Hub ein Konto bei einem anderen Unternehmen.',
    user_deactivated: 'Ihr Konto wurde deaktiviert. Fragen Sie einen Administrator Ihres Unternehmens.',
    sso_state_invalid: 'Diese Anmeldung ist abgelaufen oder wurde schon beendet. Beginnen Sie von vorn.',
    sso_failed: 'Ihr Identitätsanbieter hat nicht bestätigt, wer Sie sind. Beginnen Sie von vorn.',
    sso_provider_away: 'Ihr Identitätsanbieter ist gerade nicht erreichbar. Versuchen Sie es später wieder.',
    sso_code_invalid: 'Diese Anmeldung ist abgelaufen oder wurde schon beendet. Beginnen Sie von vorn.',
  },
}

const TEXTS: Record<Language, SsoPageTexts> = { en, de }

/** The supported language of an Accept-Language header; the first match wins (RFC 9110, 12.5.4, without weights). */
export function textsFor(acceptLanguage: string | undefined): { language: Language; texts: SsoPageTexts } {
  const language = languageOf(...(acceptLanguage ?? '').split(',').map((part) => part.trim().split(';')[0]))
  return { language, texts: TEXTS[language] }
}
