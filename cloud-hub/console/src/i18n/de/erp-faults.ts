import type { FaultCode } from '@haltless/protocol/faults'

/** What the hub says of the exchange with an ERP. The settings to check and what was found stand beside these sentences. */
export const erpFaults: Record<Extract<FaultCode, `erp_${string}`>, string> = {
  erp_status: 'Das ERP antwortete mit Status {status}.',
  erp_throttled: 'Das ERP begrenzt die Anfragen der Verbindung.',
  erp_not_available: 'Das ERP ist gerade nicht verfügbar. {reason}',
  erp_issuer_failed: '{host} gibt die Zugriffstoken aus und meldet einen Fehler. {reason}',

  erp_record_refused: 'Das ERP nimmt den Datensatz nicht an (Status {status}). {reason}',
  erp_record_failed: 'Der Datensatz ist im ERP fehlgeschlagen (Status {status}). {reason}',
  erp_record_changed_there: 'Eine andere Änderung des Datensatzes im ERP stand im Weg. {reason}',
  erp_record_unconfirmed: '{reason} Das ERP hat den Datensatz vielleicht angenommen.',
  erp_record_unanswered: 'Das ERP hat zu diesem Datensatz nichts geantwortet.',
  erp_record_not_sent: 'Der Datensatz wurde nicht gesendet. {reason}',
  erp_record_gone:
    'Das ERP hat den Datensatz {id} nicht mehr. Stellen Sie ihn dort wieder her; Haltless legt ihn kein zweites Mal an.',
  erp_record_without_id:
    'Das ERP hat den Datensatz angenommen, ohne seine ID zu nennen: Sie muss im Schlüsselfeld der Antwort oder in Location stehen.',
  erp_record_hidden:
    'Das ERP meldet, dass es den Datensatz schon hat, und eine Suche nach unserer ID findet keinen. Prüfen Sie das Feld für id und ob der Benutzer der Verbindung es lesen darf.',
  erp_record_deleted: 'Der Datensatz wurde in Haltless gelöscht; im ERP wird nie etwas gelöscht.',
  erp_record_unchanged: 'Der Datensatz hat sich nicht geändert, seit das ERP ihn angenommen hat.',
  erp_shift_not_ended: 'Die Schicht ist nicht beendet: Produktionsdaten werden danach gesendet.',
  erp_shift_not_computed:
    'Die Schicht ist nicht beendet, oder ihre OEE ist noch nicht berechnet: Produktionsdaten werden danach gesendet.',
  erp_last_attempt_failed: 'Der letzte Versuch ist fehlgeschlagen: {reason}',

  erp_page_elsewhere: 'Das ERP verweist für die nächste Seite auf eine andere Adresse, der nicht gefolgt wird.',
  erp_stored_page_elsewhere: 'Die nächste Seite liegt unter einer anderen Adresse: Beginnen Sie den Abruf noch einmal.',
  erp_page_links_itself: 'Eine Seite des ERP verweist auf sich selbst.',
  erp_skiptoken_ignored: 'Eine Seite des ERP verweist auf sich selbst: $skiptoken bewirkt nichts.',
  erp_page_repeated: 'Das ERP wiederholt eine Seite seiner Anlagen: Es muss offset und limit beachten.',
  erp_pages_in_circle:
    'Die Seiten der Anlagen führen im Kreis: Das ERP verwies auf eine Seite, auf die es schon verwiesen hatte. Der Lauf endet hier.',
  erp_pages_without_new:
    'Das ERP sandte {count} Seiten hintereinander ohne eine neue Anlage und nennt jedes Mal eine nächste. Der Lauf endet hier.',
  erp_too_many_assets: 'Das ERP sandte 1.000.000 Anlagen und hat noch mehr. Der Lauf endet hier.',
  erp_search_endless:
    'Das ERP beantwortet eine Suche nach {field} in {path} mit mehr als {limit} Seiten, deshalb endet die Suche.',

  erp_asset_invalid: 'Die Anlage ist keine gültige Maschine: {reason}.',
  erp_asset_renamed:
    'Die Anlage war vorher die Maschine {before} und hat jetzt die Kennung {machine}. Stellen Sie die Kennung im ERP wieder her, oder legen Sie dort eine neue Anlage an.',
  erp_asset_repeated: 'Die Anlage {other} hat die Kennung {machine} auch. Geben Sie im ERP jeder Anlage eine eigene Kennung.',
  erp_machine_limit: 'Mehr als {limit, number} aktive Maschinen darf Ihr Unternehmen nicht haben.',
  erp_asset_created_meanwhile:
    'Eine Maschine mit dieser Kennung wurde im selben Augenblick angelegt; der nächste Abruf ordnet sie zu.',
  erp_machine_inactive: 'Die Maschine ist in Haltless deaktiviert und bleibt unverändert.',

  erp_run_failed_in_a_row: 'Das ERP hat {count}-mal hintereinander einen Fehler gemeldet, deshalb endet der Lauf. {reason}',
  erp_run_time_over: 'Der Lauf endete nach {minutes} Minuten. Was fehlt, tauscht der nächste aus.',
  erp_run_waits: '{reason} Der Lauf wartet {seconds} s und geht dann weiter.',
  erp_run_failed: 'Der Lauf ist im Hub fehlgeschlagen; die Datensätze bleiben fällig. Fragen Sie den Betreiber des Hubs.',
  erp_run_connection_changed: 'Die Verbindung wurde während des Laufs geändert.',
  erp_run_connection_deactivated: 'Die Verbindung wurde während des Laufs deaktiviert.',
  erp_run_restored: 'Der Hub wurde aus einer Sicherung wiederhergestellt, die während des Laufs entstand.',

  erp_reached: '{host} wurde erreicht und nimmt die Zugangsdaten an.',
  erp_reached_to_read:
    '{host} wurde erreicht und nimmt die Zugangsdaten an. Der Test schreibt nichts: Ob Haltless Datensätze anlegen und ändern darf, zeigt sich beim ersten Abgleich.',
  erp_reached_not_available: '{host} wurde erreicht. {reason} Versuchen Sie es später noch einmal.',
  erp_try_later: '{reason} Versuchen Sie es später noch einmal.',
  erp_not_tested: 'Nicht geprüft.',
  erp_test_failed: 'Der Test ist fehlgeschlagen.',

  erp_credentials_refused: 'Das ERP nimmt die Zugangsdaten nicht an: Prüfen Sie sie. {reason}',
  erp_no_token: '{host} gibt kein Zugriffstoken aus: Prüfen Sie {settings}. {reason}',
  erp_right_missing: 'Dem Benutzer der Verbindung fehlt im ERP ein Recht. {reason}',
  erp_redirects: '{host} leitet auf eine andere Adresse um, der nicht gefolgt wird: Berichtigen Sie base_url oder config.paths.',
  erp_web_page: '{host} antwortet mit einer Webseite statt mit Daten: Berichtigen Sie base_url oder config.paths.',
  erp_answer_too_large:
    'Das ERP beantwortet {path} mit mehr als 8 MB auf einmal: Lassen Sie es Seiten von einigen hundert Datensätzen senden.',
  erp_path_missing: 'Das ERP hat kein {path}: Legen Sie es dort an, oder berichtigen Sie config.paths. {reason}',
  erp_path_unreadable: 'Das ERP lässt Haltless {path} nicht lesen (Status {status}). {reason}',
  erp_no_json: 'Das ERP beantwortet {path} nicht mit JSON: Berichtigen Sie base_url oder config.paths.',
  erp_no_odata_v2: 'Das ERP beantwortet {path} ohne d.results: base_url muss ein Dienst nach OData v2 sein.',
  erp_no_odata_v4: 'Das ERP beantwortet {path} ohne value: base_url muss zu einem Dienst nach OData v4 führen.',
  erp_no_items: 'Das ERP antwortet mit einer Liste ohne Einträge: Berichtigen Sie base_url oder config.paths.',
  erp_no_batches:
    '{path} nimmt keine gesammelten Anfragen an (Status {status}): Berichtigen Sie base_url oder config.paths. {reason}',
  erp_filter_ignored:
    'Das ERP beachtet den Filter auf {field} von {path} nicht: Es muss ein Feld sein, nach dem sich suchen lässt. Prüfen Sie config.paths und field_mapping.',
  erp_id_missing: 'Ein Datensatz von {path} hat keine ID in {field}: Das ERP muss dieses Feld senden.',
  erp_connection_inactive: 'Die Verbindung ist nicht aktiv: Aktivieren Sie sie, damit Datensätze gesendet werden.',
  erp_config_unreadable:
    'Die gespeicherte Konfiguration lässt sich nicht entschlüsseln: Geben Sie sie noch einmal ganz ein, oder bitten Sie den Betreiber des Hubs, ihn mit dem vorigen SECRET_KEY zu starten.',

  erp_unreachable: '{host} ist nicht erreichbar. {reason} Prüfen Sie {setting} und ob eine Firewall den Hub zulässt.',
  erp_unsecured:
    '{host} ist nicht erreichbar. {reason} Prüfen Sie das Zertifikat, und tragen Sie ca_certificate ein, wenn eine eigene Zertifizierungsstelle es ausgestellt hat.',
  erp_call_cancelled: '{host} ist nicht erreichbar. {reason}',
  erp_issuer_unreachable:
    '{host} gibt die Zugriffstoken aus und ist nicht erreichbar. {reason} Prüfen Sie {setting} und ob eine Firewall den Hub zulässt.',
  erp_issuer_unsecured:
    '{host} gibt die Zugriffstoken aus und ist nicht erreichbar. {reason} Prüfen Sie das Zertifikat, und tragen Sie ca_certificate ein, wenn eine eigene Zertifizierungsstelle es ausgestellt hat.',
  erp_issuer_call_cancelled: '{host} gibt die Zugriffstoken aus und ist nicht erreichbar. {reason}',
  erp_path_not_answered: 'Das ERP hat {path} nicht beantwortet. {reason}',
}
