import type { erpSentences as en } from '../en/erp-sentences.ts'
import type { Same } from '../same.ts'

export const erpSentences: Same<typeof en> = {
  erpReached:
    '{host} wurde erreicht und nimmt die Zugangsdaten an. Der Test schreibt nichts: Ob Haltless Datensätze anlegen und ändern darf, zeigt sich beim ersten Abgleich.',
  erpReachedOnly: '{host} wurde erreicht und nimmt die Zugangsdaten an.',
  erpReachedBut: '{host} wurde erreicht. {reason} Versuchen Sie es später noch einmal.',
  erpNotTested: 'Nicht geprüft.',
  erpReadable: 'Lesbar.',
  erpTestFailed: 'Der Test ist gescheitert.',
  erpCredentials: 'Das ERP nimmt die Zugangsdaten nicht an. {reason}',
  erpLacksRight: 'Dem Benutzer der Verbindung fehlt im ERP ein Recht. {reason}',
  erpThrottled: 'Das ERP begrenzt die Anfragen der Verbindung. Versuchen Sie es später noch einmal.',
  erpMaintenance: 'Das ERP ist gerade nicht verfügbar. {reason}',
  erpRedirects: '{host} leitet auf eine andere Adresse um, der nicht gefolgt wird: Berichtigen Sie base_url oder config.paths.',
  erpWebPage: '{host} antwortet mit einer Webseite statt mit Daten: Berichtigen Sie base_url oder config.paths.',
  erpUnreachable: '{host} ist nicht erreichbar. {reason} Prüfen Sie die Adresse und ob eine Firewall den Hub zulässt.',
  erpTooMuch:
    'Das ERP beantwortet {path} mit mehr als 8 MB auf einmal: Lassen Sie es Seiten von einigen hundert Datensätzen senden.',
  erpSilentPath: 'Das ERP hat {path} nicht beantwortet. {reason}',
  erpNoPath: 'Das ERP hat kein {path}: Legen Sie es dort an, oder berichtigen Sie config.paths. {reason}',
  erpMayNotRead: 'Das ERP lässt Haltless {path} nicht lesen (Status {status}). {reason}',
  erpNoJson: 'Das ERP beantwortet {path} nicht mit JSON: Berichtigen Sie base_url oder config.paths.',
  erpNoService: 'Der Dienst unter {path} ist keiner, den Haltless liest: Berichtigen Sie base_url.',
  erpPages: 'Die Seiten der Antwort führen nirgendwohin: Das ERP muss sie zählen und bei seiner Adresse bleiben.',
  erpEndless:
    'Das ERP nennt immer wieder eine nächste Seite, deshalb endete der Lauf: Nach der letzten Seite darf es keine nennen.',
  erpTimeUp: 'Der Lauf endete nach {limit} Minuten. Was fehlt, tauscht der nächste aus.',
  erpNoItems: 'Das ERP antwortet mit einer Liste ohne Einträge: Berichtigen Sie base_url oder config.paths.',
  erpIgnoresFilter:
    'Das ERP beachtet den Filter auf {field} von {path} nicht: Es muss ein Feld sein, nach dem sich suchen lässt.',
  erpNoBatch:
    '{path} nimmt keine gesammelten Anfragen an (Status {status}): Berichtigen Sie base_url oder config.paths. {reason}',
  erpMaybe: '{reason} Das ERP hat den Datensatz vielleicht angenommen.',
  erpChanged: 'Eine andere Änderung des Datensatzes im ERP stand im Weg. {reason}',
  erpNoId:
    'Das ERP hat den Datensatz angenommen, ohne seine Id zu nennen: Sie muss im Schlüsselfeld der Antwort oder in Location stehen.',
  erpHasAlready:
    'Das ERP meldet, dass es den Datensatz schon hat, und eine Suche nach unserer Id findet keinen. Prüfen Sie das Feld für id und ob der Benutzer der Verbindung es lesen darf.',
  erpFailedOften: 'Das ERP ist {limit}-mal hintereinander gescheitert, deshalb endet der Lauf. {reason}',
  erpLastFailed: 'Der letzte Versuch ist gescheitert: {reason}',
  erpInactive: 'Die Verbindung ist nicht aktiv: Aktivieren Sie sie, damit Datensätze gesendet werden.',
  erpShiftOpen: 'Die Schicht ist nicht beendet, oder ihre OEE ist noch nicht berechnet: Produktionsdaten werden danach gesendet.',
  erpConfigLost: 'Die gespeicherte Konfiguration lässt sich nicht entschlüsseln: Geben Sie sie noch einmal ein.',
  erpInternal: 'Der Lauf ist im Hub gescheitert; die Datensätze bleiben fällig. Fragen Sie den Betreiber des Hubs.',
  erpRecordDeleted: 'Der Datensatz wurde in Haltless gelöscht; im ERP wird nie etwas gelöscht.',
  erpUnchanged: 'Der Datensatz hat sich nicht geändert, seit das ERP ihn angenommen hat.',
  erpAssetInvalid: 'Die Anlage ist keine gültige Maschine: {reason}',
  erpAssetMoved:
    'Die Anlage war vorher die Maschine {before} und hat jetzt die Kennung {machine}. Stellen Sie die Kennung im ERP wieder her, oder legen Sie dort eine neue Anlage an.',
  erpAssetTwice: 'Die Anlage {other} hat die Kennung {machine} auch. Geben Sie im ERP jeder Anlage eine eigene Kennung.',
  erpMachineInactive: 'Die Maschine ist in Haltless deaktiviert und bleibt unverändert.',
}
