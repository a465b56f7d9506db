import type { erpSentences as en } from '../en/erp-sentences.ts'
import type { Same } from '../same.ts'

export const erpSentences: Same<typeof en> = {
  mailSlow: 'Der Mailserver ist zu langsam; die E-Mail wird noch einmal gesendet.',
  mailAway: 'Der Mailserver antwortet nicht oder lehnt die Anmeldung des Hubs ab. Fragen Sie den Betreiber des Hubs.',
  pushOff: 'Dieser Hub sendet keine Benachrichtigungen an Browser.',
  ticketActive: 'Das Ticket ist dort noch aktiv.',
  ticketNoWay: 'Der Ablauf der Tickets hat keinen Übergang vom ersten Status zu einem, der erledigt bedeutet.',
  deliveryFailed: 'Die Zustellung ist im Hub gescheitert; sie wird wiederholt.',
  deliveryGivenUp: 'Der Hub hat aufgegeben.',
  tlsBecause: 'Eine sichere Verbindung ist nicht möglich: {reason}.',
  certSelfSigned: 'das Zertifikat ist selbst signiert',
  certIssuer: 'der Hub vertraut dem Aussteller des Zertifikats nicht',
  certExpired: 'das Zertifikat ist abgelaufen',
  certEarly: 'das Zertifikat ist noch nicht gültig',
  certRevoked: 'das Zertifikat wurde widerrufen',
  certOtherHost: 'das Zertifikat ist für einen anderen Hostnamen',
  tlsHandshake: 'der TLS-Handshake ist gescheitert',
  closedWithoutAnswer: 'Der Server hat die Verbindung ohne Antwort geschlossen.',
  notHttp: 'Der Server spricht kein HTTP.',
  connectionFailed: 'Die Verbindung ist gescheitert.',
  connectionLost: 'Die Verbindung brach während der Antwort ab.',
  answerTooLong: 'Die Antwort ist zu lang.',
  callCancelled: 'Die Anfrage wurde abgebrochen.',
}
