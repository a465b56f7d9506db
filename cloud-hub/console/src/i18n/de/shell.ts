import type { shell as en } from '../en/shell.ts'
import type { Same } from '../same.ts'

export const shell: Same<typeof en> = {
  nav: {
    openAlerts: '{count, plural, one {# Alarm zu quittieren} other {# Alarme zu quittieren}}',
    overdueOrders: '{count, plural, one {# überfälliger Auftrag} other {# überfällige Aufträge}}',
    closed: 'Diese Seiten sind für Administratoren Ihres Unternehmens.',
    label: 'Hauptmenü',
    overview: 'Übersicht',
    machines: 'Maschinen',
    alerts: 'Alarme',
    rules: 'Regeln',
    work: 'Aufträge',
    maintenance: 'Wartung',
    operations: 'Betrieb',
    agents: 'Agenten',
    erp: 'ERP',
    settings: 'Einstellungen',
    more: 'Mehr',
  },
  connection: {
    lost: 'Die Verbindung zum Hub ist unterbrochen. Was diese Seite zeigt, hat den Stand {since}, und Änderungen lassen sich nicht speichern. Die Konsole versucht es weiter.',
    waiting: 'Der Hub ist gerade ausgelastet; die Seite macht von selbst weiter',
    waitingFor: '{seconds, plural, one {in # Sekunde} other {in # Sekunden}}.',
  },
  userMenu: { theme: 'Farben', themeSystem: 'Wie das System', themeLight: 'Hell', themeDark: 'Dunkel', signOut: 'Abmelden' },
  status: { healthy: 'In Ordnung', warning: 'Warnung', critical: 'Kritisch', offline: 'Offline' },
  severity: { info: 'Hinweis', warning: 'Warnung', critical: 'Kritisch' },
  filter: { all: 'Alle', filters: 'Filter', chosen: 'Filter ({count, number})' },
  machineField: {
    choose: 'Maschine wählen',
    find: 'Name oder Kennung',
    loading: 'Wird geladen …',
    noneFound: 'Keine Maschine gefunden.',
    more: '{count, plural, one {# weitere Maschine} other {# weitere Maschinen}}: Tippen Sie, um die Liste einzugrenzen.',
  },
  copy: { copy: 'Kopieren', done: 'Kopiert.', failed: 'Der Browser erlaubt das Kopieren nicht: Markieren Sie den Text.' },
  draft: {
    restored: 'Ihre Eingaben vom {at} sind noch da.',
    anew: 'Neu beginnen',
    discardTitle: 'Eingaben verwerfen?',
    discardText: 'Sie sind noch nicht gesendet.',
    keep: 'Weiter bearbeiten',
    discard: 'Verwerfen',
  },
  comments: { title: 'Kommentare', add: 'Kommentar schreiben', submit: 'Senden' },
}
