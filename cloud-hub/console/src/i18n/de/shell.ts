import type { shell as en } from '../en/shell.ts'
import type { Same } from '../same.ts'

export const shell: Same<typeof en> = {
  nav: {
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
    site: 'Standort',
    allSites: 'Alle Standorte',
  },
  connection: {
    lost: 'Die Verbindung zum Hub ist unterbrochen. Was diese Seite zeigt, hat den Stand {since}, und Änderungen lassen sich nicht speichern. Die Konsole versucht es weiter.',
  },
  userMenu: { theme: 'Farben', themeSystem: 'Wie das System', themeLight: 'Hell', themeDark: 'Dunkel', signOut: 'Abmelden' },
  status: { healthy: 'In Ordnung', warning: 'Warnung', critical: 'Kritisch', offline: 'Offline' },
  severity: { info: 'Hinweis', warning: 'Warnung', critical: 'Kritisch' },
  filter: { all: 'Alle' },
  machineField: {
    choose: 'Maschine wählen',
    find: 'Name oder Kennung',
    loading: 'Wird geladen …',
    noneFound: 'Keine Maschine gefunden.',
    more: '{count, plural, one {# weitere Maschine} other {# weitere Maschinen}}: Tippen Sie, um die Liste einzugrenzen.',
  },
  copy: { copy: 'Kopieren', done: 'Kopiert.', failed: 'Der Browser erlaubt das Kopieren nicht: Markieren Sie den Text.' },
  comments: { title: 'Kommentare', add: 'Kommentar schreiben', submit: 'Senden' },
}
