/** Texts of the dialog of a note, which come with it: no page needs them to begin with. */
export const noteDialog = {
  remove: 'Delete',
  removeTitle: 'Delete the note?',
  removeText: 'It disappears from the charts and handovers of everybody.',
  text: 'Note',
  begins: 'Time',
  ends: 'Until',
  endsHint: 'Empty: the note is about an instant.',
  about: 'About',
  mention: 'Notify',
  edit: 'Change the note',
  savedOutside: 'Saved. It lies outside of the time that the charts show.',
}
