import type { groups as en } from '../en/groups.ts'
import type { Same } from '../same.ts'

export const groups: Same<typeof en> = {
  groups: {
    title: 'Gruppen',
    lead: 'Standorte, Linien und Abteilungen. Eine Gruppe enthält die Maschinen der Gruppen unter ihr.',
    conflicts: 'Standorte, die sich überschneiden',
    conflictsText:
      'Eine Maschine gehört nur zu einem Standort, und ein Standort liegt nie in einem anderen. Was hier steht, ist älter als diese Regel: Ändern Sie die Gruppen.',
    siteInside: '{site} liegt in {other}',
    moreConflicts: '{count, plural, one {# weitere Maschine} other {# weitere Maschinen}}',
    add: 'Gruppe hinzufügen',
    none: 'Noch keine Gruppen',
    noneText:
      'Legen Sie Ihr Werk als Standort an und darunter seine Linien: Listen lassen sich nach Gruppen filtern, und Standorte werden verglichen.',
    noneViewer: 'Gruppen legen Personen mit der Rolle Bediener oder Administrator an.',
    name: 'Name',
    type: 'Art',
    types: { site: 'Standort', line: 'Linie', department: 'Abteilung', custom: 'Andere' },
    typeHint: 'Standorte werden unter Betrieb verglichen.',
    timeZone: 'Zeitzone',
    plantZone: 'Die des Werks',
    parent: 'Unter',
    noParent: 'Keiner anderen Gruppe',
    description: 'Beschreibung',
    hasColour: 'Mit Farbe',
    colour: 'Farbe',
    editOf: '{name} bearbeiten',
    deleteOf: '{name} löschen',
    membersOf: 'Maschinen von {name}',
    deleteTitle: '{name} löschen?',
    deleteText:
      'Ihre Maschinen bleiben, und die Gruppen unter ihr rücken auf. Notizen zu ihr werden gelöscht. Das lässt sich nicht rückgängig machen.',
    deleteSiteText:
      'Die Maschinen bleiben, und die Gruppen darunter rücken auf. Die Schichten des Standorts werden deaktiviert, seine produktionsfreien Tage und die Notizen zu ihm gelöscht. Das lässt sich nicht rückgängig machen.',
    findMachine: 'Name oder Kennung',
    allMachines: 'Alle Maschinen',
    inGroup: 'In dieser Gruppe oder darunter',
    chosen: '{count, plural, one {# Maschine} other {# Maschinen}}',
  },
}
