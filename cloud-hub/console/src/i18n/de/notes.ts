import type { notes as en } from '../en/notes.ts'
import type { Same } from '../same.ts'

export const notes: Same<typeof en> = {
  notes: {
    title: 'Notizen',
    none: 'Keine Notizen in diesem Zeitraum.',
    add: 'Notiz hinzufügen',
    editOf: 'Notiz von {author}, {at}, ändern',
    mark: 'Notiz im Diagramm markieren',
    mentions: '{count, plural, one {# Person} other {# Personen}} benachrichtigt',
    aboutGroup: 'zu {name}',
    cut: 'Nur die neuesten {count} Notizen werden angezeigt, hier und in den Diagrammen. Wählen Sie einen kürzeren Zeitraum.',
  },
}
