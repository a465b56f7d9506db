import type { overview as en } from '../en/overview.ts'
import type { Same } from '../same.ts'

export const overview: Same<typeof en> = {
  overview: {
    title: 'Übersicht',
    byStatus: 'Maschinen nach Zustand',
    machines: 'Maschinen',
    find: 'Maschine suchen',
    noneFound: 'Keine Maschine passt dazu.',
    noMachines: 'Noch keine Maschinen',
    noMachinesText:
      'Legen Sie Ihre erste Maschine an oder importieren Sie eine Liste; verbinden Sie dann einen Agenten, der sie liest.',
    noMachinesViewer: 'Maschinen legen Personen mit der Rolle Operator oder Administrator an.',
    addMachines: 'Maschinen anlegen',
    alerts: '{count, plural, one {# Alarm} other {# Alarme}} zu quittieren',
    takenBy: '{name} kümmert sich',
    taken: 'jemand kümmert sich',
    notTaken: 'noch niemand',
    noReadings: 'Noch keine Messwerte',
    attention: 'Braucht Aufmerksamkeit',
    allQuiet: 'Nichts braucht Aufmerksamkeit.',
    moreAlerts: '{count, plural, one {# weiterer Alarm} other {# weitere Alarme}}',
    overdue: '{count, plural, one {# Auftrag ist überfällig} other {# Aufträge sind überfällig}}',
    silent: '{count, plural, one {# Maschine sendet keine Messwerte} other {# Maschinen senden keine Messwerte}}',
    agentsOffline: '{count, plural, one {# Agent ist offline} other {# Agenten sind offline}}',
    shiftsToday: 'Schichten heute',
    noShift: 'Heute hat noch keine Schicht begonnen',
    toShifts: 'Schichten festlegen oder beginnen',
    noShiftText: 'Hier erscheinen Schichten mit OEE und Stillstand.',
    shiftInProgress: 'Läuft; OEE folgt nach ihrem Ende',
    shiftUnderWay: 'Läuft',
    meanOfDays: 'über {days} Tage',
    shift: 'Schicht',
    oee: 'OEE',
    downtime: 'Stillstand',
  },
}
