import type { recordSentences as en } from '../en/record-sentences.ts'
import type { Same } from '../same.ts'

export const recordSentences: Same<typeof en> = {
  sigKey: 'Der Hub kann die Unterschrift nicht prüfen: Ihr Schlüssel oder die Form ihrer Aufzeichnung ist ihm unbekannt.',
  sigPayload: 'Der gespeicherte Text wurde nach dem Unterschreiben geändert; der Auftrag selbst nicht.',
  sigForeign: 'Die gespeicherte Unterschrift gehört nicht zu diesem Auftrag.',
  sigRecord: 'Der Auftrag wurde nach dem Unterschreiben geändert: {fields}.',
  sigFile: 'Die gespeicherten Dateien sind nicht die unterschriebenen: {files}.',
  sigChain: 'Eine Unterschrift davor oder danach fehlt oder wurde geändert.',
  dayNotWhole: 'Es ist kein ganztägiger Termin.',
  dayYears: 'Es liegt außerhalb der Jahre {from} bis {to}.',
  dayLong: 'Es dauert mehr als {limit} Tage.',
  dayRepeats: 'Es wiederholt sich anders als jährlich am selben Tag: Exportieren Sie einzelne Tage.',
}
