import type { FaultCode } from '@haltless/protocol/faults'

/** Why the verification of a sign-off fails. */
export const signoffFaults: Record<Extract<FaultCode, `signoff_${string}`>, string> = {
  signoff_payload_version: 'Der Hub kennt die Form dieser Unterschrift nicht (Version {version}).',
  signoff_key_missing: 'Der Hub hat den Schlüssel {key} nicht, darum lässt sich die Unterschrift nicht prüfen.',
  signoff_payload_changed: 'Der gespeicherte Text wurde nach dem Unterschreiben geändert; der Auftrag selbst nicht.',
  signoff_signature_foreign: 'Die gespeicherte Unterschrift gehört nicht zu diesem Auftrag.',
  signoff_record_changed: 'Der Auftrag wurde nach dem Unterschreiben geändert: {fields}.',
  signoff_more_changed: 'Der Auftrag wurde nach dem Unterschreiben geändert: {fields} und {count} weitere.',
  signoff_file_missing: 'Die Datei {file} fehlt im Speicher.',
  signoff_file_changed: 'Die Datei {file} ist nicht mehr die unterschriebene.',
  signoff_files_missing: 'Im Speicher fehlt: {files}.',
  signoff_files_changed: 'Nicht mehr wie unterschrieben: {files}.',
  signoff_files_missing_and_changed: 'Im Speicher fehlt: {missing}; nicht mehr wie unterschrieben: {changed}.',
  signoff_order_incomplete: 'Eine Unterschrift dieses Auftrags fehlt.',
  signoff_order_changed: 'Die Unterschrift vor dieser wurde geändert oder ersetzt.',
  signoff_chain_before: 'Die Unterschrift {number} des Unternehmens, die vor dieser steht, fehlt oder wurde geändert.',
  signoff_chain_after:
    'Die Unterschrift {number} des Unternehmens, die nach dieser steht, oder das Ende der Kette fehlt oder wurde geändert.',
}
