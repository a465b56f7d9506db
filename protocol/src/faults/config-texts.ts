/** What a person has to change in the settings of the agent, of a source or of its device. */
export const CONFIG_TEXTS = {
  settings_reverted: 'the newest settings brought no readings, so the agent went back to those before: {reason}',
  remote_sources_off: 'remote.sources is off in the settings of this agent',
  address_not_allowed: 'remote.allow in the settings of this agent does not allow {host}:{port}',
  settings_invalid: '{text}',
  settings_no_json: 'it is no JSON',

  modbus_text_without_length: 'a string needs its length in registers',
  modbus_beyond_last_register: 'the value reaches beyond register 65535',
  modbus_too_many_registers: 'the value takes {count} registers, and max_registers is {limit}',

  opcua_login_refused: 'the server refuses the login: wrong user name or password, or anonymous access is not allowed',
  opcua_login_not_offered: 'the server takes no such login (see the logins that it offers)',
  opcua_security_not_offered: 'the server does not offer this security_mode with this security_policy',
  opcua_combination_not_offered: 'the server does not offer {mode} with {policy}',
  opcua_no_certificate: 'the server shows no certificate',
  opcua_client_untrusted: 'the server does not trust our certificate yet: trust it there',
  opcua_endpoint_unknown: 'the server knows no such endpoint_path',
  opcua_other_certificate:
    'the server shows another certificate than server_thumbprint names: {subject}, thumbprint {thumbprint}',
  opcua_server_untrusted:
    "the server's certificate is not trusted: {subject}, thumbprint {thumbprint}. Compare the thumbprint with the one that the server shows, then {advice}",
  opcua_password_unencrypted: 'a user name and password are only sent with security_mode SignAndEncrypt',
  opcua_password_without_user: 'a password needs a username',
  opcua_security_mismatch: 'security_mode {mode} does not go with security_policy {policy}',
  opcua_invalid_node_id: 'this is no node id (such as nsu=urn:acme:press;s=Temperature or ns=3;i=1001)',
  opcua_invalid_start: '{node} is no node id (such as nsu=urn:acme:press;s=Press or ns=3;i=1001)',
  opcua_namespace_unknown: 'the server has no namespace {uri}; it has {names}',
  opcua_namespace_gone:
    'ns={index} was {uri}, which the server no longer has; it has {names}; correct the node id, or accept the new namespaces',
  opcua_namespace_new: 'ns={index} is new since the server renumbered its namespaces; write nsu=, or accept the new namespaces',
  opcua_namespace_unnamed: 'ns={index} has no URI at this server, whose namespaces are other ones now; accept the new namespaces',

  mqtt_ca_file: 'ca_file {file}: {reason}',
  file_missing: 'there is no file {path} yet, or this user may not look for it',
  file_is_folder: '{path} is a folder: name the files in it, such as {example}',
  file_irregular: '{path} is no regular file',
  file_too_many_names: '{path} matches more than {limit} names; move old files away',
  file_too_many: '{path} names too many files; the {count} oldest are not read',
  file_no_column: 'there is no column {field}; there are {names}',
  file_no_timestamp_column: 'there is no column {field}, which timestamp names; there are {names}',

  updates_not_packaged: 'it was not installed from a package',
  updates_without_key: 'its package has no key for updates',
  updates_disabled: 'updates.enabled is false in its settings',
  updates_other_data_dir: 'data_dir is not {folder}',
} as const
