import type { ErrorEntry } from './entry.ts'

/** Refusals that the state of a thing, a uniqueness or a maximum brings. */
export const CONFLICT_CODES = {
  email_taken: {
    status: 409,
    meaning: 'Another account on this hub has the e-mail address.',
    remedy: 'Use another address, or sign in with that account.',
  },
  user_gone: {
    status: 409,
    meaning: 'The account of the link no longer exists or was deactivated.',
    remedy: 'Ask an admin for a new invitation.',
  },
  own_account: {
    status: 409,
    meaning: 'Nobody can deactivate the own account.',
    remedy: 'Ask another admin.',
  },
  last_admin: {
    status: 409,
    meaning: 'The tenant would be left without an active admin.',
    remedy: 'Make another user an admin first.',
  },
  role_name_taken: {
    status: 409,
    meaning: 'Another role of the tenant has this name.',
    remedy: 'Choose another name.',
  },
  too_many_roles: {
    status: 409,
    meaning: 'The tenant has as many roles as it may have.',
    remedy: 'Delete a role that has no members.',
  },
  role_builtin: {
    status: 409,
    meaning: 'Built-in roles cannot be renamed or deleted.',
    remedy: 'Create a custom role with `POST /api/v1/settings/roles`.',
  },
  role_in_use: {
    status: 409,
    meaning: 'At least one user has the role, deactivated users included.',
    remedy: 'Give these users another role first.',
  },
  mfa_enabled: {
    status: 409,
    meaning: 'Two-factor sign-in is on already.',
    remedy: 'Switch it off with `POST /api/v1/auth/mfa/disable` before you set it up again.',
  },
  mfa_not_set_up: {
    status: 409,
    meaning: 'Two-factor sign-in was not set up.',
    remedy: 'Call `POST /api/v1/auth/mfa/setup` first.',
  },
  mfa_disabled: {
    status: 409,
    meaning: 'Two-factor sign-in is already off.',
    remedy: 'Nothing is left to do.',
  },
  domain_unproven: {
    status: 409,
    meaning: 'The DNS of the domain does not hold the record that proves the domain to be yours.',
    remedy:
      'Publish the TXT record that `domain_challenge` of the configuration names, wait until it is visible, and repeat the request.',
  },
  domain_taken: {
    status: 409,
    meaning: 'Another tenant signs in with this domain.',
    remedy: 'Ask the operator of the hub to release the domain.',
  },
  sso_config_exists: {
    status: 409,
    meaning: 'The tenant has an SSO configuration already.',
    remedy: 'Change it with PATCH, or delete it first.',
  },
  machine_identifier_taken: {
    status: 409,
    meaning: 'Another machine of the tenant, perhaps a deactivated one, has this identifier.',
    remedy: 'Choose another identifier, or reactivate that machine with `is_active: true`.',
  },
  too_many_groups: {
    status: 409,
    meaning: 'The tenant has as many machine groups as it may have.',
    remedy: 'Delete groups that are not needed.',
  },
  too_many_mappings: {
    status: 409,
    meaning: 'The machine has as many tag mappings as it may have.',
    remedy: 'Correct existing mappings instead of adding tags.',
  },
  too_many_sources: {
    status: 409,
    meaning: 'The tenant or the edge agent has as many polling sources as it may have.',
    remedy: 'Delete a source, or let another agent poll this one; `detail` names the limit.',
  },
  alert_already_acknowledged: {
    status: 409,
    meaning: 'Somebody has acknowledged the alert already.',
    remedy: 'Nothing is left to do; read the alert to see who it was.',
  },
  too_many_comments: {
    status: 409,
    meaning: 'The alert has as many comments as it may have.',
    remedy: 'Continue the discussion elsewhere.',
  },
  channel_in_use: {
    status: 409,
    meaning: 'An escalation policy uses the channel.',
    remedy: 'Give that policy another channel, or delete it first.',
  },
  agent_id_in_use: {
    status: 409,
    meaning: 'Another live agent reports under this `agent_id`.',
    remedy: 'Give this agent an id of its own, or stop the other and wait for two heartbeat intervals.',
  },
} as const satisfies Record<string, ErrorEntry>
