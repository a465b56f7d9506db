/** What an ERP answers, and how the exchange with it goes. */
export const ERP_TEXTS = {
  erp_status: 'The ERP answered with status {status}.',
  erp_throttled: 'The ERP limits the requests of the connection.',
  erp_not_available: 'The ERP is not available now. {reason}',
  erp_issuer_failed: '{host}, which issues the tokens, failed. {reason}',

  erp_record_refused: 'The ERP refuses the record (status {status}). {reason}',
  erp_record_failed: 'The ERP failed on this record (status {status}). {reason}',
  erp_record_changed_there: 'Another change of the record in the ERP was in the way. {reason}',
  erp_record_unconfirmed: '{reason} The ERP may have accepted the record.',
  erp_record_unanswered: 'The ERP returned no answer for this record.',
  erp_record_not_sent: 'The record was not sent. {reason}',
  erp_record_gone: 'The ERP has no record {id} any more: restore it there. Haltless never creates it a second time.',
  erp_record_without_id:
    'The ERP accepted the record without naming its id: it must be in the key field of the answer or in Location.',
  erp_record_hidden:
    'The ERP reports that it has this record already, and a search by our id finds none. Check that the field for `id` holds our id and that the user of the connection may read it.',
  erp_record_deleted: 'The record was deleted in Haltless. The exchange never deletes records in the ERP.',
  erp_record_unchanged: 'The record has not changed since the ERP accepted it.',
  erp_shift_not_ended: 'The shift has not ended: production data is sent after that.',
  erp_shift_not_computed: 'The shift has not ended, or its OEE is not computed yet: production data is sent after that.',
  erp_last_attempt_failed: 'The last attempt failed: {reason}',

  erp_page_elsewhere: 'The ERP links its next page to another address, which is not followed.',
  erp_stored_page_elsewhere: 'The next page is on another address: start the pull again.',
  erp_page_links_itself: 'The ERP links a page to itself.',
  erp_skiptoken_ignored: 'The ERP links a page to itself: $skiptoken has no effect.',
  erp_page_repeated: 'The ERP repeats a page of its assets: it must support offset and limit.',
  erp_pages_in_circle:
    'The pages of the assets lead in a circle: the ERP linked a page that it had linked before. The run ends here.',
  erp_pages_without_new:
    'The ERP answered {count} pages in a row without a new asset, and names a next page each time. The run ends here.',
  erp_too_many_assets: 'The ERP answered 1,000,000 assets and has more. The run ends here.',
  erp_search_endless: 'The ERP answers a search for {field} of {path} with more than {limit} pages, so the search ends.',

  erp_asset_invalid: 'The asset is no valid machine: {reason}.',
  erp_asset_renamed:
    'The asset was the machine {before} before and has the identifier {machine} now. Identifiers of machines never change: restore the identifier in the ERP, or create a new asset there.',
  erp_asset_repeated: 'The asset {other} has the identifier {machine} too. Give each asset an identifier of its own in the ERP.',
  erp_machine_limit: 'The tenant may have {limit} active machines, and has no place left for this one.',
  erp_asset_created_meanwhile: 'A machine with this identifier was created at the same moment; the next pull matches it.',
  erp_machine_inactive: 'The machine is deactivated in Haltless and stays unchanged.',

  erp_run_failed_in_a_row: 'The ERP failed {count} times in a row, so the run ends. {reason}',
  erp_run_time_over: 'The run ends after {minutes} minutes. What is left is exchanged by the next one.',
  erp_run_waits: '{reason} The run waits for {seconds} s and goes on.',
  erp_run_failed: 'The run failed inside the hub. The log of the hub says why; the records stay due.',
  erp_run_connection_changed: 'The connection was changed during the run.',
  erp_run_connection_deactivated: 'The connection was deactivated during the run.',
  erp_run_restored: 'The hub was restored from a backup that was made during the run.',

  erp_reached: '{host} was reached, and it accepts the credentials. {found}',
  erp_reached_to_read:
    '{host} was reached, and it accepts the credentials. {found} The test writes nothing: whether Haltless may create and change records shows at the first sync.',
  erp_reached_not_available: '{host} was reached. {reason} Try again later.',
  erp_try_later: '{reason} Try again later.',
  erp_not_tested: 'Not tested.',
  erp_test_failed: 'The test failed.',
} as const

/** What a person has to change in a connection, or in the ERP that it leads to. */
export const ERP_CONFIG_TEXTS = {
  erp_credentials_refused: 'The ERP does not accept the credentials: check {settings}. {reason}',
  erp_no_token: '{host} issues no token: check {settings}. {reason}',
  erp_right_missing: 'The user of the connection lacks a right in the ERP. {reason}',
  erp_redirects: '{host} redirects to another address, which is not followed: correct base_url or config.paths.',
  erp_web_page: '{host} answers with a web page, not with data: correct base_url or config.paths.',
  erp_answer_too_large: 'The ERP answers {path} with more than 8 MB at once: let it send pages of a few hundred records.',
  erp_path_missing: 'The ERP has no {path}: create it there, or correct config.paths. {reason}',
  erp_path_unreadable: 'The ERP does not let Haltless read {path} (status {status}). {reason}',
  erp_no_json: 'The ERP does not answer {path} with JSON: correct base_url or config.paths.',
  erp_no_odata_v2: 'The ERP answers {path} without d.results: base_url must be an OData v2 service.',
  erp_no_odata_v4: 'The ERP answers {path} without value: base_url must lead to an OData v4 service.',
  erp_no_items: 'The ERP answers a list without items: correct base_url or config.paths.',
  erp_no_batches: '{path} does not accept batches (status {status}): correct base_url or config.paths. {reason}',
  erp_filter_ignored:
    'The ERP ignores the filter on {field} of {path}: it must be a field that can be searched. Check config.paths and field_mapping.',
  erp_id_missing: 'A record of {path} has no id in {field}: the ERP must return this field.',
  erp_connection_inactive: 'The connection is inactive: activate it before records can be sent.',
  erp_config_unreadable:
    'The stored configuration cannot be decrypted: enter the whole configuration again, or ask the operator of the hub to start it with its previous SECRET_KEY.',
} as const

/** What happens on the way to an ERP, or to the server that issues its tokens. */
export const ERP_NETWORK_TEXTS = {
  erp_unreachable: '{host} cannot be reached: {reason} Check {setting}, and whether a firewall admits the hub.',
  erp_unsecured:
    '{host} cannot be reached: {reason} Check its certificate, and enter ca_certificate if a private authority issued it.',
  erp_call_cancelled: '{host} cannot be reached: {reason}',
  erp_issuer_unreachable:
    '{host}, which issues the tokens, cannot be reached: {reason} Check {setting}, and whether a firewall admits the hub.',
  erp_issuer_unsecured:
    '{host}, which issues the tokens, cannot be reached: {reason} Check its certificate, and enter ca_certificate if a private authority issued it.',
  erp_issuer_call_cancelled: '{host}, which issues the tokens, cannot be reached: {reason}',
  erp_path_not_answered: 'The ERP did not answer {path}: {reason}',
} as const
