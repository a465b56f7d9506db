/** Texts of notes about machines and groups. */
export const notes = {
  notes: {
    title: 'Notes',
    none: 'Nobody has noted anything in this time.',
    add: 'Add a note',
    editOf: 'Change the note of {author}, {at}',
    mark: 'Mark a note on a chart',
    mentions: '{count, plural, one {# person} other {# people}} notified',
    aboutGroup: 'about {name}',
    more: '{count, plural, one {# older note is not shown.} other {# older notes are not shown.}}',
  },
}
