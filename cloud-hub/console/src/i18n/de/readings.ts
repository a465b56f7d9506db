import type { readings as en } from '../en/readings.ts'
import type { Same } from '../same.ts'

export const readings: Same<typeof en> = {
  charts: {
    mouseHint: 'Ziehen vergrößert, mit Umschalttaste verschiebt es; ein Doppelklick verkleinert.',
    touchHint: 'Mit einem Finger verschieben, mit zweien vergrößern.',
    keyHint:
      'Tasten: Links und rechts lesen die Werte, mit Umschalttaste verschieben sie; Plus und Minus ändern den Zeitraum; die Eingabetaste setzt Anfang und Ende eines Zeitraums, der vergrößert wird.',
    keyHintFixed: 'Tasten: Links und rechts lesen die Werte.',
    values: 'Werte am Cursor',
    backToNow: 'Zurück zur Gegenwart',
    toNewest: 'Zu den neuesten Messwerten, {at}',
    showAll: 'Alle Messgrößen zeigen',
    emptyChosen: 'Die gewählten Messgrößen haben in diesem Zeitraum keine Messwerte',
    goesOn: 'dauert an',
    title: 'Messwerte',
    latest: 'Neueste Werte',
    earlier: 'Früher',
    later: 'Später',
    windows: { '1h': '1 h', '8h': '8 h', '24h': '24 h', '7d': '7 T', '30d': '30 T', '90d': '90 T', '1y': '1 J' },
    range: '{from} bis {to}, {resolution, select, raw {jeder Messwert} other {Mittelwerte über {resolution}}}.',
    empty: 'Keine Messwerte in diesem Zeitraum',
    emptyText: 'Wählen Sie einen längeren Zeitraum oder prüfen Sie den Agenten dieser Maschine.',
    emptyOther: 'Wählen Sie einen längeren Zeitraum, oder fragen Sie einen Administrator, ob die Maschine Messwerte sendet.',
    chartOf: 'Verlauf von {metrics}',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    events: 'Was in diesem Zeitraum geschah',
    moreEvents: '{count, plural, one {# früheres Ereignis} other {# frühere Ereignisse}}',
    downtimeOf: 'Stillstand: {reason}',
    maintenanceOf: 'Wartung: {title}',
    lossOf: '{count, plural, one {# Messwert verloren} other {# Messwerte verloren}}: {metric}',
    legend: {
      downtime: 'Stillstand',
      maintenance: 'Wartung',
      loss: 'Verlorene Messwerte',
      baseline: 'Üblicher Bereich',
      zones: 'Jenseits der Grenzwerte',
      flags: 'Alarm',
    },
  },
}
