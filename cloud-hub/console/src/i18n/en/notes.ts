/** Texts of notes about machines and groups. */
export const notes = {
  notes: {
    title: 'Notes',
    none: 'Nobody has noted anything in this time.',
    add: 'Add a note',
    edit: 'Change the note',
    editOf: 'Change the note of {author}, {at}',
    mark: 'Mark a note on a chart',
    about: 'About',
    begins: 'Time',
    ends: 'Until',
    endsHint: 'Empty: the note is about an instant.',
    text: 'Note',
    mention: 'Notify',
    mentions: '{count, plural, one {# person} other {# people}} notified',
    remove: 'Delete',
    removeTitle: 'Delete the note?',
    removeText: 'It disappears from the charts and handovers of everybody.',
    aboutGroup: 'about {name}',
    cut: 'Only the latest {count} notes are shown, here and on the charts. Choose a shorter range.',
  },
}
