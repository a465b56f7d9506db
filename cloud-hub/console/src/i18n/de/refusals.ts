import type { en } from '../en/refusals.ts'
import type { Same } from '../same.ts'
import { fieldErrors } from './field-errors.ts'
import { fieldNames } from './field-names.ts'

export const de: Same<typeof en> = {
  refusals: {
    malformed_json: 'Der Hub konnte die Anfrage nicht lesen. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    malformed_body: 'Der Hub konnte die Anfrage nicht lesen. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    malformed_multipart: 'Der Hub konnte die Datei nicht lesen. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    erp_sync_unsupported: 'Das wird in dieser Richtung nicht ausgetauscht.',
    body_aborted: 'Die Verbindung brach ab, bevor alles angekommen war. Versuchen Sie es noch einmal.',
    duplicate_host:
      'Der Hub konnte die Anfrage nicht lesen. Ein Proxy dazwischen verändert sie: fragen Sie den Betreiber des Hubs.',
    payload_too_large: 'Das ist zu groß: möglich sind höchstens {megabytes, number} MB.',
    form_too_large: 'Das ist zu groß. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    unsupported_media_type: 'Dateien oder Anfragen dieser Art liest der Hub nicht.',
    validation_failed: 'Einige Angaben sind nicht gültig: siehe unten.',
    reason_code_cycle: 'Eine Ursache kann nicht unter sich selbst stehen. Wählen Sie eine andere darüber.',
    group_cycle: 'Eine Gruppe kann nicht unter sich selbst stehen. Wählen Sie eine andere darüber.',
    file_unreadable: 'Die Datei lässt sich nicht lesen. {reason}',
    path_not_found:
      'Der Hub kennt diese Anfrage nicht: er hat vielleicht eine andere Version als diese Seite. Laden Sie die Seite neu.',
    method_not_allowed:
      'Der Hub kennt diese Anfrage nicht: er hat vielleicht eine andere Version als diese Seite. Laden Sie die Seite neu.',
    resource_not_found: 'Das gibt es nicht mehr.',
    range_not_satisfiable: 'Die Datei hat sich geändert. Laden Sie sie noch einmal herunter.',
    metrics_token_required: 'Die Metriken dieses Hubs brauchen ein Token.',
    metrics_closed: 'Die Metriken dieses Hubs sind geschlossen.',
    token_missing: 'Sie sind nicht angemeldet. Melden Sie sich an, und versuchen Sie es noch einmal.',
    token_invalid: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
    token_expired: 'Das Zugriffstoken ist abgelaufen.',
    token_revoked: 'Das Zugriffstoken wurde widerrufen.',
    token_owner_inactive: 'Das Konto des Zugriffstokens wurde deaktiviert.',
    token_scope_missing: 'Dem Zugriffstoken fehlt das Recht {scope}.',
    token_address_not_allowed: 'Das Zugriffstoken gilt nicht von {address} aus.',
    token_outside_groups: 'Das Zugriffstoken gilt für Maschinen anderer Gruppen.',
    token_cannot_make_credentials: 'Mit Schlüsseln und Tokens kann ein Zugriffstoken das nicht. Melden Sie sich an.',
    token_cannot_manage_members: 'Ein Zugriffstoken verwaltet keine Mitglieder. Melden Sie sich an.',
    token_cannot_change_security: 'Ein Zugriffstoken ändert keine Sicherheitseinstellungen. Melden Sie sich an.',
    token_cannot_sign: 'Ein Zugriffstoken unterschreibt nicht. Melden Sie sich an.',
    token_needs_person: 'Mit einem Zugriffstoken geht das nicht. Melden Sie sich an.',
    refresh_token_invalid: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
    refresh_token_used: 'Ein anderer Tab erneuert die Sitzung. Versuchen Sie es noch einmal.',
    api_key_missing: 'Das braucht einen API-Schlüssel.',
    api_key_invalid: 'Der API-Schlüssel ist unbekannt oder wurde gelöscht.',
    enrolment_key_missing: 'Das braucht einen Anmeldeschlüssel.',
    enrolment_key_invalid: 'Der Anmeldeschlüssel ist unbekannt oder wurde gelöscht.',
    enrolment_key_used: 'Der Anmeldeschlüssel hat schon einen Agenten angemeldet. Erzeugen Sie einen neuen.',
    enrolment_key_expired: 'Der Anmeldeschlüssel ist abgelaufen. Erzeugen Sie einen neuen.',
    login_failed: 'E-Mail-Adresse oder Passwort ist falsch.',
    mfa_code_wrong: 'Der Code ist falsch, wurde schon benutzt oder ist zu alt. Warten Sie auf den nächsten.',
    mfa_token_invalid: 'Diese Anmeldung ist abgelaufen. Beginnen Sie neu.',
    link_invalid: 'Der Link wurde benutzt, ist abgelaufen oder durch einen neueren ersetzt. Fordern Sie einen neuen an.',
    sso_state_invalid: 'Diese Anmeldung ist abgelaufen oder begann in einem anderen Browser. Beginnen Sie neu.',
    sso_failed:
      'Ihr Identitätsanbieter hat Sie nicht bestätigt. Versuchen Sie es noch einmal; misslingt es wieder, fragen Sie Ihren Administrator.',
    sso_code_invalid: 'Diese Anmeldung ist abgelaufen. Beginnen Sie neu.',
    demo_token_invalid: 'Diese Adresse wurde schon benutzt oder ist zu alt. Melden Sie sich mit Ihrem Passwort an.',
    registration_closed:
      'Dieser Hub lässt keine neuen Unternehmen zu. Fragen Sie seinen Betreiber, oder einen Kollegen nach einer Einladung.',
    role_insufficient: 'Ihre Rolle erlaubt das nicht. Fragen Sie einen Administrator Ihres Unternehmens.',
    api_key_not_allowed: 'Mit einem API-Schlüssel geht das nicht. Melden Sie sich an.',
    not_author: 'Das dürfen nur der Verfasser und Administratoren ändern.',
    update_not_ordered: 'Der Agent soll diese Version jetzt nicht installieren.',
    credential_of_other_agent: 'Der Zugang gehört einem anderen Agenten.',
    credential_required: 'Der Agent ist angemeldet und braucht seinen eigenen Zugang.',
    enrolment_key_of_other_agent: 'Der Anmeldeschlüssel wurde für einen anderen Agenten erzeugt.',
    password_wrong: 'Das Passwort ist falsch.',
    password_not_set:
      'Ihr Konto hat kein Passwort, weil es Single Sign-on benutzt. Legen Sie eines mit „Passwort vergessen?“ auf der Anmeldeseite fest.',
    user_deactivated: 'Ihr Konto wurde deaktiviert. Fragen Sie einen Administrator Ihres Unternehmens.',
    reauthentication_required:
      'Ihre Anmeldung ist älter als 15 Minuten. Geben Sie Ihr Passwort ein, oder melden Sie sich neu an.',
    mfa_setup_required:
      'Ihr Unternehmen verlangt die Anmeldung in zwei Schritten. Richten Sie sie zuerst in Ihren Einstellungen ein.',
    email_claim_missing: 'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht gesendet. Fragen Sie Ihren Administrator.',
    email_claim_invalid:
      'Was Ihr Identitätsanbieter als Ihre E-Mail-Adresse gesendet hat, ist keine E-Mail-Adresse. Fragen Sie Ihren Administrator.',
    email_not_verified:
      'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort, und melden Sie sich wieder an.',
    email_domain_not_allowed: 'Hier melden sich nur E-Mail-Adressen von {domain} an.',
    no_place_for_user:
      'Mehr als {limit, number} Mitglieder kann Ihr Unternehmen nicht haben. Bitten Sie einen Administrator, eines zu deaktivieren.',
    email_of_other_tenant: 'Diese E-Mail-Adresse hat ein Konto in einem anderen Unternehmen dieses Hubs.',
    api_key_not_found: 'Diesen API-Schlüssel gibt es nicht mehr.',
    access_token_not_found: 'Dieses Token gibt es nicht mehr.',
    service_account_not_found: 'Dieses Dienstkonto gibt es nicht mehr.',
    user_not_found: 'Dieses Mitglied gibt es nicht mehr.',
    role_not_found: 'Diese Rolle gibt es nicht mehr.',
    enrolment_key_not_found: 'Diesen Anmeldeschlüssel gibt es nicht mehr.',
    machine_not_found: 'Diese Maschine gibt es nicht.',
    agent_not_found: 'Diesen Agenten gibt es nicht.',
    agent_rollout_not_found: 'Diesen Rollout gibt es nicht mehr.',
    agent_release_not_found: 'Der Hub hat diese Version nicht. Sein Betreiber fügt Versionen hinzu.',
    machine_group_not_found: 'Diese Gruppe gibt es nicht mehr.',
    tag_mapping_not_found: 'Diese Zuordnung gibt es nicht mehr.',
    ingest_source_not_found: 'Diese Quelle gibt es nicht mehr.',
    rule_not_found: 'Diese Regel gibt es nicht mehr.',
    policy_not_found: 'Diese Eskalation gibt es nicht mehr.',
    alert_not_found: 'Diesen Alarm gibt es nicht mehr.',
    work_order_not_found: 'Diesen Auftrag gibt es nicht mehr.',
    instruction_not_found: 'Diesen Schritt gibt es nicht mehr.',
    attachment_not_found: 'Diesen Anhang gibt es nicht mehr.',
    maintenance_event_not_found: 'Diese Wartung gibt es nicht mehr.',
    note_not_found: 'Diese Notiz gibt es nicht mehr.',
    checklist_not_found: 'Diese Checkliste gibt es nicht mehr.',
    calendar_token_not_found: 'Dieses Abonnement gibt es nicht mehr.',
    channel_not_found: 'Diesen Kanal gibt es nicht mehr.',
    downtime_record_not_found: 'Diesen Stillstand gibt es nicht mehr.',
    reason_code_not_found: 'Diese Ursache gibt es nicht mehr.',
    site_not_found: 'Diesen Standort gibt es nicht mehr.',
    signoff_not_found: 'Diese Unterschrift gibt es nicht.',
    shift_definition_not_found: 'Diese Schicht gibt es nicht mehr.',
    shift_log_not_found: 'Dieses Schichtprotokoll gibt es nicht mehr.',
    erp_connection_not_found: 'Diese ERP-Verbindung gibt es nicht mehr.',
    erp_run_not_found: 'Diesen Lauf gibt es nicht mehr.',
    subscription_not_found: 'Dieser Browser erhält keine Benachrichtigungen.',
    sso_config_not_found: 'Single Sign-on ist nicht eingerichtet.',
    changed_meanwhile:
      'Inzwischen hat jemand anderes dies geändert. Schließen Sie das Formular, und versuchen Sie es noch einmal.',
    idempotency_key_in_use: 'Dieselbe Anfrage läuft gerade noch. Warten Sie einen Moment, und versuchen Sie es noch einmal.',
    idempotency_outcome_unknown:
      'Der Hub wurde mitten in dieser Anfrage beendet. Prüfen Sie, was geschehen ist, bevor Sie es noch einmal versuchen.',
    idempotency_answer_too_large:
      'Dies ist erledigt, aber die Antwort lässt sich nicht noch einmal zeigen. Laden Sie die Seite neu.',
    idempotency_key_reused:
      'Mit demselben Schlüssel wurde schon eine andere Anfrage gesendet. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    agent_in_rollout:
      'Ein anderer Rollout, der noch läuft, enthält diese Agenten: {agents}. Warten Sie auf ihn, brechen Sie ihn ab, oder lassen Sie die Agenten aus.',
    no_agent_to_update: 'Keiner dieser Agenten kann diese Version installieren: {reason}',
    release_expired: 'Diese Version ist abgelaufen. Bitten Sie den Betreiber des Hubs, sie neu zu signieren.',
    rollout_state:
      'Der Rollout {state, select, running {läuft} paused {pausiert} stopped {ist angehalten} cancelled {ist abgebrochen} other {ist beendet}}. Vielleicht hat ein Kollege ihn geändert.',
    agent_online: 'Der Agent hat sich gerade noch gemeldet. Halten Sie ihn zuerst an, und warten Sie zwei Minuten.',
    agent_enrolled: 'Der Agent ist schon angemeldet. Wählen Sie einen anderen Namen, oder geben Sie jenen Agenten zuerst frei.',
    tenant_limit:
      'Mehr als {limit, number} davon kann Ihr Unternehmen nicht haben. Entfernen Sie etwas, das Sie nicht mehr brauchen, oder fragen Sie den Betreiber des Hubs.',
    too_many_enrolment_keys:
      'Mehr als {limit, number} unbenutzte Anmeldeschlüssel sind nicht möglich. Löschen Sie einige, die Sie nicht mehr brauchen.',
    too_many_erp_connections:
      'Mehr als {limit, number} ERP-Verbindungen sind nicht möglich. Löschen Sie eine, die Sie nicht mehr brauchen.',
    erp_connection_inactive: 'Die Verbindung ist inaktiv. Aktivieren Sie sie, und versuchen Sie es noch einmal.',
    sync_running: 'Ein anderer Austausch dieser Verbindung läuft. Versuchen Sie es noch einmal, wenn er beendet ist.',
    maintenance_transition:
      'Dieser Status folgt nicht auf den jetzigen. Vielleicht hat ein Kollege ihn geändert: laden Sie die Seite neu.',
    reason_code_taken: 'Eine andere Ursache, vielleicht eine stillgelegte, hat dieses Kürzel. Wählen Sie ein anderes.',
    too_many_reason_codes: 'Mehr als {limit, number} Ursachen sind nicht möglich. Benennen Sie eine stillgelegte um.',
    downtime_ongoing:
      'Die Maschine hat schon einen laufenden Stillstand. Beenden Sie zuerst jenen, oder tragen Sie für diesen ein Ende ein.',
    downtime_ended: 'Dieser Stillstand ist schon beendet. Berichtigen Sie sein Ende mit „Bearbeiten“.',
    downtime_gap:
      'Dazwischen lief die Maschine länger als {limit, number} Minuten. Nur nähere Stillstände lassen sich verbinden.',
    checklist_name_taken: 'Eine andere Checkliste heißt schon so. Wählen Sie einen anderen Namen.',
    checklist_in_use: 'Eine Wartung benutzt diese Checkliste. Geben Sie ihr zuerst eine andere.',
    too_many_checklists: 'Mehr als {limit, number} Checklisten sind nicht möglich. Löschen Sie eine, die nirgends benutzt wird.',
    too_many_calendar_tokens: 'Mehr als {limit, number} Abonnements sind nicht möglich. Widerrufen Sie eines.',
    too_many_tokens:
      'Das Konto hat die Grenze von {limit, number} Tokens erreicht. Widerrufen Sie eines, oder warten Sie einen Tag.',
    service_account: 'Das ist ein Dienstkonto: Ändern Sie es bei den Schlüsseln und Tokens.',
    email_taken: 'Diese E-Mail-Adresse hat schon ein Konto.',
    user_gone: 'Das Konto dieses Links gibt es nicht mehr. Bitten Sie um eine neue Einladung.',
    own_mfa:
      'Den eigenen zweiten Faktor können Sie nicht zurücksetzen. Schalten Sie ihn mit einem Code aus, oder fragen Sie einen anderen Administrator.',
    own_account: 'Ihr eigenes Konto können Sie nicht deaktivieren. Fragen Sie einen anderen Administrator.',
    last_admin: 'Das ist der letzte Administrator. Machen Sie zuerst ein anderes Mitglied zum Administrator.',
    role_name_taken: 'Eine andere Rolle heißt schon so. Wählen Sie einen anderen Namen.',
    too_many_roles: 'Mehr als {limit, number} Rollen sind nicht möglich. Löschen Sie eine ohne Mitglieder.',
    role_builtin: 'Eingebaute Rollen lassen sich weder umbenennen noch löschen.',
    role_in_use: 'Mitglieder haben diese Rolle, vielleicht deaktivierte. Geben Sie ihnen zuerst eine andere.',
    mfa_enabled: 'Die Anmeldung in zwei Schritten ist schon an. Schalten Sie sie zuerst aus.',
    mfa_not_set_up: 'Die Anmeldung in zwei Schritten ist noch nicht eingerichtet. Beginnen Sie neu.',
    mfa_disabled: 'Die Anmeldung in zwei Schritten ist schon aus.',
    domain_unproven: 'Das DNS der Domain zeigt den Eintrag noch nicht. Neue Einträge brauchen bis zu einer Stunde.',
    domain_taken: 'Ein anderes Unternehmen meldet sich mit dieser Domain an. Bitten Sie den Betreiber des Hubs, sie freizugeben.',
    sso_config_exists: 'Single Sign-on ist schon eingerichtet. Laden Sie die Seite neu.',
    machine_identifier_taken: 'Eine andere Maschine, vielleicht eine deaktivierte, hat diese Kennung. Wählen Sie eine andere.',
    machine_in_other_site:
      'Eine Maschine gehört nur zu einem Standort: {machine} wäre in {site} und in {other}. Nehmen Sie sie zuerst aus einem heraus.',
    site_in_site: 'Ein Standort kann nicht in einem anderen liegen: {site} läge in {other}.',
    site_has_calendar:
      'Der Standort hat eigene produktionsfreie Tage oder Schichten, die verloren gingen. Das darf nur ein Administrator.',
    too_many_groups: 'Mehr als {limit, number} Gruppen sind nicht möglich. Löschen Sie eine, die Sie nicht mehr brauchen.',
    too_many_mappings:
      'Mehr als {limit, number} zugeordnete Tags sind an einer Maschine nicht möglich. Berichtigen Sie vorhandene.',
    agent_not_ready: 'Der Agent lässt sich jetzt nicht fragen. {reason}',
    agent_browsing: 'Der Agent durchsucht gerade ein Gerät für jemand anderen. Versuchen Sie es in zehn Sekunden noch einmal.',
    too_many_sources:
      'Mehr Quellen oder Tags sind nicht möglich; die Grenze ist {limit, number}. Löschen Sie eine Quelle, oder lassen Sie einen anderen Agenten sie lesen.',
    alert_already_acknowledged: 'Diesen Alarm hat schon jemand quittiert.',
    too_many_notes: 'Mehr als {limit, number} Notizen sind hier nicht möglich. Löschen Sie welche, die niemand mehr braucht.',
    too_many_comments: 'Mehr als {limit, number} Kommentare sind hier nicht möglich.',
    too_many_shift_definitions:
      'Mehr als {limit, number} Schichten sind nicht möglich, deaktivierte eingeschlossen. Ändern Sie stattdessen eine.',
    shift_log_active: 'An dieser Maschine läuft schon eine Schicht. Schließen Sie sie zuerst ab, oder brechen Sie sie ab.',
    transition_not_allowed:
      'Dieser Status folgt nicht auf den jetzigen. Vielleicht hat ein Kollege ihn geändert: laden Sie die Seite neu.',
    work_order_exists: 'Dafür gibt es schon einen offenen Auftrag.',
    work_order_signed: 'Der Auftrag ist unterschrieben. Schreiben Sie einen Kommentar, oder legen Sie einen neuen an.',
    too_many_instructions:
      'Mehr als {limit, number} Schritte sind nicht möglich. Fassen Sie einige zusammen, oder legen Sie einen weiteren Auftrag an.',
    attachment_quota:
      'Ihr Unternehmen hat nur {megabytes, number} MB Platz. Löschen Sie Anhänge, oder fragen Sie den Betreiber des Hubs.',
    too_many_attachments:
      'Mehr als {limit, number} Anhänge sind hier nicht möglich. Löschen Sie einen, den Sie nicht mehr brauchen.',
    channel_in_use: 'Eine Eskalation benutzt diesen Kanal. Geben Sie ihr einen anderen, oder löschen Sie sie zuerst.',
    agent_id_in_use: 'Ein anderer Agent meldet sich unter diesem Namen.',
    work_order_not_completed:
      'Der Auftrag ist nicht erledigt; er lässt sich weder unterschreiben noch mit Zertifikat belegen. Schließen Sie ihn zuerst ab.',
    signoffs_incomplete:
      'Im Protokoll fehlen Unterschriften, darum kann keine weitere folgen. Fragen Sie den Betreiber des Hubs.',
    too_many_signoffs: 'Mehr als {limit, number} Unterschriften sind nicht möglich. Schreiben Sie stattdessen einen Kommentar.',
    downloads_busy:
      'Der Hub ist mit Downloads ausgelastet. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
    too_many_open: 'Zu viele Anfragen auf einmal. Warten Sie einen Moment, und versuchen Sie es noch einmal.',
    rate_limited: 'Zu viele Anfragen. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
    login_locked:
      'Zu viele Fehlversuche. Sie können es um {time} noch einmal versuchen, in {minutes, plural, one {# Minute} other {# Minuten}}.',
    sending_limit:
      '{scope, select, minute {Diese Adresse wurde gerade eingeladen. Versuchen Sie es in einer Minute noch einmal.} address {Diese Adresse hat in 24 Stunden {limit, number} Nachrichten erhalten. Versuchen Sie es später noch einmal.} other {Ihr Unternehmen hat in 24 Stunden {limit, number} Nachrichten gesendet. Versuchen Sie es später noch einmal.}}',
    too_many_idempotency_keys:
      'Sie und Ihre Programme haben in 24 Stunden zu viele Änderungen gesendet. Versuchen Sie es später noch einmal.',
    too_many_streams: 'Zu viele Seiten sind zugleich offen. Schließen Sie einige.',
    narrative_limit:
      'Zu viele Zusammenfassungen auf einmal. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
    agent_silent:
      'Der Agent hat nicht rechtzeitig geantwortet. Er muss über MQTT verbunden sein und eine Version haben, die Geräte durchsuchen kann.',
    tests_under_way:
      'Zu viele Verbindungstests auf einmal. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
    internal_error:
      'Der Hub konnte nicht antworten. Versuchen Sie es noch einmal; misslingt es wieder, geben Sie seinem Betreiber die Nummer {request_id}.',
    hub_busy: 'Der Hub ist ausgelastet. Versuchen Sie es in einigen Sekunden noch einmal.',
    hub_stopping: 'Der Hub startet neu. Versuchen Sie es in einigen Sekunden noch einmal.',
    request_timeout: 'Der Hub konnte nicht rechtzeitig antworten. Prüfen Sie, ob die Änderung ankam, bevor Sie sie wiederholen.',
    database_away: 'Die Datenbank des Hubs ist nicht erreichbar. Versuchen Sie es in einigen Sekunden noch einmal.',
    database_full: 'Die Datenbank des Hubs hat keinen Platz mehr. Fragen Sie seinen Betreiber.',
    database_busy: 'Eine andere Änderung läuft gerade. Versuchen Sie es in einigen Sekunden noch einmal.',
    busy: 'Zu viele melden sich auf einmal an. Versuchen Sie es in einigen Sekunden noch einmal.',
    tenant_busy: 'Zu viele Messwerte Ihres Unternehmens warten. Versuchen Sie es in einigen Sekunden noch einmal.',
    ingest_busy: 'Zu viele Messwerte warten. Versuchen Sie es in einigen Sekunden noch einmal.',
    import_busy: 'Gerade werden viele Dateien importiert. Versuchen Sie es in einigen Sekunden noch einmal.',
    import_timeout:
      'Die Datei zu lesen dauert zu lange; keine Maschine wurde angelegt. Teilen Sie die Liste auf mehrere Dateien auf.',
    backtests_waiting: 'Mehrere Regeltests Ihres Unternehmens laufen. Versuchen Sie es noch einmal, wenn sie beendet sind.',
    certificates_waiting: 'Gerade werden viele Zertifikate erstellt. Versuchen Sie es in einigen Sekunden noch einmal.',
    certificate_under_way:
      'Das Zertifikat wird gerade erstellt. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
    streams_full: 'Der Hub kann nicht mehr Seiten aktuell halten. Versuchen Sie es in einigen Sekunden noch einmal.',
    uploads_busy: 'Zu viele Uploads auf einmal. Versuchen Sie es in einigen Sekunden noch einmal.',
    storage_full: 'Der Hub hat keinen Platz mehr für Dateien. Fragen Sie seinen Betreiber.',
    storage_away:
      'Der Speicher der Anhänge antwortet nicht. Versuchen Sie es in einigen Sekunden noch einmal; hält es an, fragen Sie den Betreiber des Hubs.',
    sso_provider_away:
      'Ihr Identitätsanbieter antwortet nicht. Versuchen Sie es später noch einmal, oder melden Sie sich mit einem Passwort an.',
    dns_unavailable: 'Das DNS antwortet dem Hub nicht. Versuchen Sie es in einigen Sekunden noch einmal.',
    web_push_disabled: 'Dieser Hub sendet keine Benachrichtigungen an Browser. Benutzen Sie einen anderen Kanal.',
  },
  conflict: {
    title: 'Jemand anderes hat dies auch geändert',
    text: 'Wählen Sie, was gilt. Alle anderen Änderungen von Ihnen beiden bleiben.',
    yours: 'Ihre Eingabe',
    theirs: 'Jetzt gespeichert',
    none: 'Nichts',
    yes: 'Ja',
    no: 'Nein',
    enteredSecret: 'Ihr neu eingegebenes Geheimnis',
    storedSecret: 'Das gespeicherte Geheimnis',
    back: 'Zurück zum Formular',
  },
  fieldErrors,
  fieldNames,
}
