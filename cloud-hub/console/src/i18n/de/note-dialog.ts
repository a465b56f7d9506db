import type { noteDialog as en } from '../en/note-dialog.ts'
import type { Same } from '../same.ts'

export const noteDialog: Same<typeof en> = {
  remove: 'Löschen',
  removeTitle: 'Notiz löschen?',
  removeText: 'Sie verschwindet bei allen aus Diagrammen und Übergaben.',
  text: 'Notiz',
  begins: 'Zeitpunkt',
  ends: 'Bis',
  endsHint: 'Leer: Die Notiz betrifft einen Zeitpunkt.',
  about: 'Betrifft',
  mention: 'Benachrichtigen',
  edit: 'Notiz ändern',
  savedOutside: 'Gespeichert. Sie liegt außerhalb der Zeit, die die Diagramme zeigen.',
}
