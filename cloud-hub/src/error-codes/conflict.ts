import type { ErrorEntry } from './entry.ts'

/** Refusals that the state of a thing, a uniqueness or a maximum brings. */
export const CONFLICT_CODES = {
  changed_meanwhile: {
    status: 412,
    meaning: 'Somebody has changed the record since it had the version of `If-Match`.',
    remedy: 'Read the record again, decide what holds, and send the change with its new `version`.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: 'A request with the same `Idempotency-Key` is under way.',
    remedy: 'Wait as long as `Retry-After` says, and send the request again: then it gets the answer.',
  },
  idempotency_outcome_unknown: {
    status: 409,
    meaning: 'The hub stopped while it did a request with this `Idempotency-Key` that calls other systems.',
    remedy: 'Check what happened there, and send the request with a new key if it still has to be done.',
  },
  idempotency_answer_too_large: {
    status: 409,
    meaning: 'The request with this `Idempotency-Key` was done, and its answer was too large to store.',
    remedy: 'Read what it has changed; do not send it with a new key.',
  },
  agent_in_rollout: {
    status: 409,
    meaning: 'An agent is part of another rollout that has not ended.',
    remedy: 'Wait for that rollout, cancel it with `POST /api/v1/agent/rollouts/{rollout_id}/cancel`, or leave the agent out.',
  },
  no_agent_to_update: {
    status: 409,
    meaning: 'None of the agents can take this version; the detail says why.',
    remedy: 'Choose other agents or another version.',
  },
  release_expired: {
    status: 409,
    meaning: 'Agents do not install a release that has expired.',
    remedy: 'Have the operator of the hub sign and add it again.',
  },
  rollout_state: {
    status: 409,
    meaning: 'The rollout is in a state that does not allow this.',
    remedy: 'Read it with `GET /api/v1/agent/rollouts/{rollout_id}`: somebody else may have changed it.',
  },
  agent_online: {
    status: 409,
    meaning: 'The agent reported a moment ago, so it is not gone.',
    remedy: 'Stop the agent, wait two heartbeats, and retry.',
  },
  agent_enrolled: {
    status: 409,
    meaning: 'The agent is enrolled: it has a valid credential.',
    remedy: 'Choose another `agent_id`, or have an admin release the agent with `POST /api/v1/agent/fleet/{agent_id}/release`.',
  },
  tenant_limit: {
    status: 409,
    meaning: 'The tenant has as many of these as it may have; `params` names the kind and the limit.',
    remedy:
      'Delete or deactivate what is not needed, or ask the operator of the hub for more; `GET /api/v1/settings/limits` shows use and limits.',
  },
  too_many_enrolment_keys: {
    status: 409,
    meaning: 'The tenant has as many unused enrolment keys as it may have.',
    remedy: 'Delete keys that are no longer needed with `DELETE /api/v1/enrolment-keys/{enrolment_key_id}`.',
  },
  too_many_erp_connections: {
    status: 409,
    meaning: 'The tenant has as many ERP connections as it may have.',
    remedy: 'Delete a connection that is no longer needed; its logs stay.',
  },
  erp_connection_inactive: {
    status: 409,
    meaning: 'The ERP connection is inactive, so nothing is synchronized with it.',
    remedy: 'Activate it with `PATCH /api/v1/erp/connections/{connection_id}` and `is_active: true`.',
  },
  sync_running: {
    status: 409,
    meaning: 'Another synchronization of the connection is running and did not end within 10 seconds.',
    remedy: 'Follow it with `GET /api/v1/erp/connections/{connection_id}/runs` and repeat the request when it has ended.',
  },
  maintenance_transition: {
    status: 409,
    meaning: 'The maintenance event cannot change from its present status to this one.',
    remedy: 'Read the event. A scheduled event can start, one in progress can be completed, and both can be cancelled.',
  },
  reason_code_taken: {
    status: 409,
    meaning: 'Another reason code of the tenant, perhaps an inactive one, has this `code`.',
    remedy: 'Choose another `code`, or activate that one with `is_active: true`.',
  },
  too_many_reason_codes: {
    status: 409,
    meaning: 'The tenant has as many reason codes as it may have.',
    remedy: 'Rename and reuse codes that are inactive.',
  },
  downtime_ongoing: {
    status: 409,
    meaning: 'The machine has an ongoing downtime record already.',
    remedy: 'End that record with `POST /api/v1/machines/{machine_id}/downtime/{record_id}/end`, or give this one an end.',
  },
  downtime_ended: {
    status: 409,
    meaning: 'The downtime record has ended already.',
    remedy: 'Correct its end with `PUT /api/v1/machines/{machine_id}/downtime/{record_id}`.',
  },
  downtime_gap: {
    status: 409,
    meaning: 'Between two of the records the machine ran for longer than a merge may join.',
    remedy: 'Merge records that overlap or lie close together, or correct their times first; `detail` names the limit.',
  },
  checklist_name_taken: {
    status: 409,
    meaning: 'Another checklist of the tenant has this name.',
    remedy: 'Choose another name.',
  },
  checklist_in_use: {
    status: 409,
    meaning: 'At least one maintenance event uses the checklist.',
    remedy: 'Give these events another checklist first, or change the steps of this one.',
  },
  too_many_checklists: {
    status: 409,
    meaning: 'The tenant has as many checklists as it may have.',
    remedy: 'Delete a checklist that no event uses.',
  },
  too_many_calendar_tokens: {
    status: 409,
    meaning: 'You have as many calendar tokens as a user may have.',
    remedy: 'Revoke one with `DELETE /api/v1/calendar-tokens/{token_id}`.',
  },
  too_many_tokens: {
    status: 409,
    meaning: 'The account has as many active access tokens as one may have, or made as many within 24 hours.',
    remedy: 'Revoke one with `DELETE /api/v1/tokens/{access_token_id}`; with the limit 200, wait.',
  },
  service_account: {
    status: 409,
    meaning: 'The user is a service account, which has no address, language or second factor of its own.',
    remedy: 'Change its name, role and person with `PATCH /api/v1/service-accounts/{service_account_id}`.',
  },
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
  own_mfa: {
    status: 409,
    meaning: 'Nobody can reset the own second factor.',
    remedy: 'Switch it off with a code and `POST /api/v1/auth/mfa/disable`, or ask another admin.',
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
  machine_in_other_site: {
    status: 409,
    meaning: 'A machine would belong to two sites, directly or through nested groups.',
    remedy: 'Take the machine out of the group in the other site first; `GET /api/v1/machine-groups/tree` shows the groups.',
  },
  site_in_site: {
    status: 409,
    meaning: 'A group of type `site` would be inside another site.',
    remedy: 'Give the inner group another type, such as `department`, or a place outside of the other site.',
  },
  site_has_calendar: {
    status: 409,
    meaning: 'The site has non-production days or active shift definitions of its own, which would be lost.',
    remedy: 'Let an admin do this: only admins change days and shifts.',
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
  agent_not_ready: {
    status: 409,
    meaning: 'The agent that polls the source cannot be asked now.',
    remedy: '`detail` says why: start or update the agent, or activate the source.',
  },
  agent_browsing: {
    status: 409,
    meaning: 'The agent is browsing a device for another request.',
    remedy: 'Repeat the request after ten seconds.',
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
    meaning: 'The alert or work order has as many comments as it may have.',
    remedy: 'Continue the discussion elsewhere.',
  },
  too_many_notes: {
    status: 409,
    meaning: 'The machine or group has as many notes as it may have.',
    remedy: 'Delete notes that nobody needs any more.',
  },
  too_many_shift_definitions: {
    status: 409,
    meaning:
      'The site, all sites together, or the tenant has as many shift definitions as it may have, deactivated ones included.',
    remedy: 'Change a definition instead of adding one.',
  },
  shift_log_active: {
    status: 409,
    meaning: 'The machine has an active shift log already.',
    remedy: 'Complete or cancel that log first; `GET /api/v1/shifts/active` lists it.',
  },
  transition_not_allowed: {
    status: 409,
    meaning: 'This status does not follow the present one.',
    remedy: 'Read the present status; `detail` names what can follow it.',
  },
  work_order_exists: {
    status: 409,
    meaning: 'The alert or maintenance event has an open work order already.',
    remedy: 'Use that work order, or complete or cancel it first.',
  },
  work_order_signed: {
    status: 409,
    meaning: 'The work order has a sign-off: it, its instructions and its attachments can no longer be changed.',
    remedy: 'Add a comment, or create another work order.',
  },
  too_many_instructions: {
    status: 409,
    meaning: 'The work order has as many instructions as it may have.',
    remedy: 'Combine instructions, or create another work order.',
  },
  attachment_quota: {
    status: 409,
    meaning: 'The attachments of the tenant have as many bytes as they may have.',
    remedy: 'Delete attachments that are not needed, or ask the operator of the hub for more.',
  },
  too_many_attachments: {
    status: 409,
    meaning: 'The work order or maintenance event has as many attachments as it may have.',
    remedy: 'Delete attachments that are not needed.',
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
  work_order_not_completed: {
    status: 409,
    meaning: 'The work order is not completed, so it can neither be signed nor certified.',
    remedy: 'Complete it first: `PATCH /api/v1/work-orders/{work_order_id}` with `status` `completed`.',
  },
  signoffs_incomplete: {
    status: 409,
    meaning: 'Sign-offs of the work order or of the tenant were deleted or moved in the database, past the hub.',
    remedy:
      'The operator of the hub runs `npm run hub -- signoffs verify`, which names what is missing, and restores it from a backup.',
  },
  too_many_signoffs: {
    status: 409,
    meaning: 'The work order has 20 sign-offs, which is the maximum.',
    remedy: 'Nothing is left to do: further approvals can be comments.',
  },
} as const satisfies Record<string, ErrorEntry>
