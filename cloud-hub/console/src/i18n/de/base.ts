import type { en } from '../en/base.ts'
import type { Same } from '../same.ts'

export const de: Same<typeof en> = {
  common: {
    brand: 'Haltless',
    loading: 'Wird geladen',
    retry: 'Erneut versuchen',
    close: 'Schließen',
    cancel: 'Abbrechen',
    save: 'Speichern',
    saved: 'Gespeichert.',
    delete: 'Löschen',
    edit: 'Bearbeiten',
    add: 'Hinzufügen',
    undo: 'Rückgängig',
    next: 'Weiter',
    previous: 'Zurück',
    page: 'Seite {page} von {pages}',
    none: 'Keine',
    unknown: 'Unbekannt',
    optional: 'freiwillig',
    skipToContent: 'Zum Inhalt springen',
  },
  faults: {
    unreachable: 'Der Hub ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    internal:
      'Der Hub konnte nicht antworten. Versuchen Sie es erneut; hilft das nicht, nennen Sie dem Betreiber die Nummer {request_id}.',
    rate_limited: 'Zu viele Anfragen. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut.',
    role_insufficient: 'Ihre Rolle erlaubt das nicht. Wenden Sie sich an einen Administrator Ihres Unternehmens.',
    validation_failed: 'Einige Werte sind nicht gültig, siehe unten.',
    not_found: 'Das gibt es nicht mehr.',
    page: 'Dieser Teil der Seite ist fehlgeschlagen. Der Rest der Konsole läuft weiter.',
  },
  unknownPage: {
    title: 'Diese Seite gibt es nicht',
    text: 'Die Adresse ist falsch, oder was sie zeigte, wurde gelöscht.',
    link: 'Zur Übersicht',
  },
  signIn: {
    title: 'Anmelden',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
    locked:
      'Zu viele Fehlversuche. Versuchen Sie es in {minutes, plural, one {# Minute} other {# Minuten}} erneut; ein neues Passwort über den Link unten wirkt sofort.',
    ended: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an, um hier weiterzuarbeiten.',
    signedOut: 'Sie sind abgemeldet.',
    offline: 'Der Hub ist nicht erreichbar. Sie bleiben angemeldet; die Seite geht weiter, sobald der Hub antwortet.',
    insecure:
      'Diese Adresse verwendet HTTP ohne Verschlüsselung, daher merkt sich der Browser keine Sitzung: Sie werden abgemeldet, wenn Sie die Seite schließen oder neu laden. Fragen Sie den Betreiber dieses Hubs nach einer HTTPS-Adresse.',
    ssoTitle: 'Ihr Unternehmen meldet sich mit {provider} an',
    ssoSubmit: 'Weiter mit {provider}',
    mfaTitle: 'Anmeldung in zwei Schritten',
    mfaText: 'Geben Sie die 6 Ziffern aus Ihrer Authenticator-App oder einen Ihrer Wiederherstellungscodes ein.',
    mfaCode: 'Code',
    mfaSubmit: 'Bestätigen',
    mfaWrong: 'Dieser Code ist falsch oder abgelaufen. Warten Sie auf den nächsten.',
    mfaExpired: 'Diese Anmeldung ist abgelaufen. Beginnen Sie noch einmal.',
    back: 'Zurück',
  },
}
