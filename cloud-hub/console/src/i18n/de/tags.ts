import type { tags as en } from '../en/tags.ts'
import type { Same } from '../same.ts'

export const tags: Same<typeof en> = {
  tags: {
    title: 'Zuordnung der Tags',
    none: 'Kein Tag ist zugeordnet',
    noneText:
      'Nennen Sie die Tag-Namen Ihrer SPS: Haltless schlägt je Tag Messgröße und Einheit vor. Sie bestätigen oder berichtigen sie.',
    noneOther: 'Ein Bediener kann Messgrößen für Tags vorschlagen lassen.',
    noneOpen: 'Nichts zu prüfen',
    noneConfirmed: 'Noch ist keine Zuordnung bestätigt.',
    show: 'Zeigen',
    all: 'Alle ({count, number})',
    open: 'Zu prüfen ({count, number})',
    confirmed: 'Bestätigt ({count, number})',
    effect:
      'Ein Vorschlag wirkt erst, wenn Sie ihn bestätigen. Spätere Messwerte des Tags erhalten dann Messgröße und Einheit; die Werte bleiben, wie sie sind.',
    tag: 'Tag',
    metric: 'Messgröße',
    metricHint: 'Klein und mit Unterstrichen, etwa oil_temperature.',
    unit: 'Einheit',
    unitHint: 'Beschriftet die Werte; nichts wird umgerechnet.',
    state: 'Status',
    isConfirmed: 'Bestätigt',
    isSuggested: 'Vorschlag, {percent} sicher',
    isGuess: 'Vermutung, {percent} sicher',
    choose: '{tag} auswählen',
    chooseAll: 'Alle dieser Seite auswählen',
    chooseSure: 'Sichere auswählen ({count, number})',
    confirm: 'Bestätigen',
    confirmOf: '{tag} bestätigen',
    confirmChosen: 'Ausgewählte bestätigen ({count, number})',
    confirmedCount: '{count, plural, one {# Zuordnung bestätigt.} other {# Zuordnungen bestätigt.}}',
    editOf: 'Zuordnung von {tag} bearbeiten',
    saveOpen: 'Für später speichern',
    saveConfirm: 'Speichern und bestätigen',
    suggest: 'Messgrößen vorschlagen',
    tags: 'Tags',
    tagsHint:
      'Ein Tag je Zeile. Beschreibung, Einheit oder Bereich nach | oder Tabulator verbessern den Vorschlag. Tags ohne Zuordnung, die Messwerte tragen, sind eingetragen.',
    tooMany: 'Höchstens {count, number} Tags auf einmal.',
    suggestFor: '{count, plural, one {Für # Tag vorschlagen} other {Für # Tags vorschlagen}}',
    suggested:
      '{count, plural, =0 {Alle Tags sind schon bestätigt.} one {# Vorschlag zu prüfen.} other {# Vorschläge zu prüfen.}}',
  },
}
