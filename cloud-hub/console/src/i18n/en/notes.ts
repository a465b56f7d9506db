/** Texts of notes about machines and groups. */
export const notes = {
  notes: {
    title: 'Notes',
    none: 'No notes in this period.',
    add: 'Add a note',
    editOf: 'Change the note of {author}, {at}',
    mark: 'Mark a note on a chart',
    mentions: '{count, plural, one {# person} other {# people}} notified',
    aboutGroup: 'about {name}',
    cut: 'Only the latest {count} notes are shown, here and on the charts. Choose a shorter range.',
  },
}
