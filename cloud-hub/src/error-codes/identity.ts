import type { ErrorEntry } from './entry.ts'

/** Refusals that concern who calls. */
export const IDENTITY_CODES = {
  metrics_token_required: {
    status: 401,
    meaning: 'The metrics of this hub are read with its METRICS_TOKEN.',
    remedy: 'Send `Authorization: Bearer` with the token.',
  },
  metrics_closed: {
    status: 403,
    meaning: 'The hub listens beyond loopback, and its metrics have no token.',
    remedy: 'Set METRICS_TOKEN and send it as a bearer token, or METRICS_LISTEN for a port of their own.',
  },
  token_missing: {
    status: 401,
    meaning: 'The request carries no access token.',
    remedy: 'Sign in with `POST /api/v1/auth/login` and send `Authorization: Bearer <access token>`.',
  },
  token_invalid: {
    status: 401,
    meaning: 'The access token is invalid, expired, or its session has ended.',
    remedy:
      'Call `POST /api/v1/auth/refresh` once and repeat the request; if that fails, sign in again. For a token of a program (`ht_`): compare it with the one that was shown.',
  },
  refresh_token_invalid: {
    status: 401,
    meaning: 'The refresh cookie is missing, expired, or was used before.',
    remedy: 'Sign in again.',
  },
  refresh_token_used: {
    status: 401,
    meaning: 'Another request used the refresh cookie a moment ago.',
    remedy: 'Repeat the request with the cookie that the other answer set.',
  },
  api_key_missing: {
    status: 401,
    meaning: 'The operation needs an API key and the request carries none.',
    remedy: 'Send the key in the `X-API-Key` header.',
  },
  api_key_invalid: {
    status: 401,
    meaning: 'The API key is unknown or revoked.',
    remedy: 'Have an admin create a key with `POST /api/v1/api-keys`.',
  },
  enrolment_key_missing: {
    status: 401,
    meaning: 'The operation needs an enrolment key and the request carries none.',
    remedy: 'Send the key in the `X-API-Key` header.',
  },
  enrolment_key_invalid: {
    status: 401,
    meaning: 'The enrolment key is unknown or was deleted.',
    remedy: 'Have an admin create a key with `POST /api/v1/enrolment-keys`.',
  },
  enrolment_key_used: {
    status: 401,
    meaning: 'The enrolment key has enrolled an agent, which uses its credential.',
    remedy: 'Have an admin create another key with `POST /api/v1/enrolment-keys`.',
  },
  enrolment_key_expired: {
    status: 401,
    meaning: 'The enrolment key has expired.',
    remedy: 'Have an admin create another key with `POST /api/v1/enrolment-keys`.',
  },
  login_failed: {
    status: 401,
    meaning: 'The e-mail address or the password is wrong.',
    remedy: 'Try again, or reset the password with `POST /api/v1/auth/password-reset`.',
  },
  mfa_code_wrong: {
    status: [401, 403, 422],
    meaning: 'The code is wrong, was used before, or is too old.',
    remedy: 'Enter the code that the authenticator shows now, or an unused recovery code.',
  },
  mfa_token_invalid: {
    status: 401,
    meaning: 'The pending token of a sign-in has expired or was used.',
    remedy: 'Sign in again with `POST /api/v1/auth/login`.',
  },
  link_invalid: {
    status: 401,
    meaning: 'The link of an invitation or a password reset was used, has expired, or was replaced by a newer one.',
    remedy: 'Request a new link.',
  },
  sso_state_invalid: {
    status: 401,
    meaning: 'The sign-in through the identity provider has expired, was finished already, or began in another browser.',
    remedy: 'Begin again with `GET /api/v1/auth/sso/check`.',
  },
  sso_failed: {
    status: 401,
    meaning: 'The identity provider did not confirm who the user is.',
    remedy: 'Begin again; if it fails again, check the configuration at the provider.',
  },
  sso_code_invalid: {
    status: 401,
    meaning: 'The one-time code of the SSO callback has expired or was used.',
    remedy: 'Begin again with `GET /api/v1/auth/sso/check`.',
  },
  demo_token_invalid: {
    status: 401,
    meaning: 'The one-time token of the address that `npm start` prints has expired or was used.',
    remedy: 'Sign in with the e-mail address and the password that `npm start` prints.',
  },
  registration_closed: {
    status: 403,
    meaning: 'The hub does not let anybody create a tenant.',
    remedy: 'Ask the operator of the hub for a tenant, or a colleague for an invitation.',
  },
  role_insufficient: {
    status: 403,
    meaning: 'Your role does not permit this operation.',
    remedy: 'Ask an admin to make the change or to raise your role.',
  },
  api_key_not_allowed: {
    status: 403,
    meaning: 'API keys only send data in; this operation needs a signed-in user.',
    remedy: 'Sign in and send an access token instead of the key.',
  },
  update_not_ordered: {
    status: 403,
    meaning: 'The agent is not ordered this version by a rollout now.',
    remedy: 'Start a rollout with `POST /api/v1/agent/rollouts`; the agent then downloads by itself.',
  },
  credential_of_other_agent: {
    status: 403,
    meaning: 'The credential belongs to one agent, and the request names another one or none.',
    remedy: 'Send the `agent_id` that was enrolled, or enrol the other agent with an enrolment key of its own.',
  },
  credential_required: {
    status: 403,
    meaning:
      'The operation, or the agent that the request names, needs the credential of an enrolled agent; this is a plain API key.',
    remedy: 'Enrol the agent with `POST /api/v1/agent/enroll`, or name another agent.',
  },
  enrolment_key_of_other_agent: {
    status: 403,
    meaning: 'The enrolment key was created for another agent.',
    remedy: 'Enrol under the `agent_id` that the key names, or have an admin create another key.',
  },
  password_wrong: {
    status: 403,
    meaning: 'The current password is wrong, or another request changed it meanwhile.',
    remedy: 'Enter the current password again.',
  },
  password_not_set: {
    status: 403,
    meaning: 'The account signs in through SSO and has no password.',
    remedy: 'Set a password with `POST /api/v1/auth/password-reset`.',
  },
  user_deactivated: {
    status: 403,
    meaning: 'The account was deactivated.',
    remedy: 'Ask an admin of your tenant to reactivate it.',
  },
  reauthentication_required: {
    status: 403,
    meaning: 'The operation needs a sign-in of the last 15 minutes, which a refresh is not.',
    remedy: 'Send `current_password`, or sign in again.',
  },
  mfa_setup_required: {
    status: 403,
    meaning: 'Your tenant requires two-factor sign-in, which your account does not have yet.',
    remedy: 'Set it up with `POST /api/v1/auth/mfa/setup` and `POST /api/v1/auth/mfa/verify-setup`, or sign in through SSO.',
  },
  email_claim_missing: {
    status: 403,
    meaning: 'The identity provider sent no e-mail address, neither in the ID token nor at the userinfo endpoint.',
    remedy: 'Give the user an e-mail address at the provider, and let it send the claim `email`.',
  },
  email_claim_invalid: {
    status: 403,
    meaning: 'The claim `email` of the identity provider is not an e-mail address.',
    remedy: 'Correct the address of the user, or the mapping of the claim, at the provider.',
  },
  email_not_verified: {
    status: 403,
    meaning: 'The identity provider does not say that it has verified the e-mail address.',
    remedy:
      'Verify the address at the provider. For a provider of your own organisation that says nothing about it, set `trust_email` in the SSO configuration.',
  },
  email_domain_not_allowed: {
    status: 403,
    meaning: 'The e-mail address is outside the domain of the SSO configuration.',
    remedy: 'Sign in with an address of the configured domain.',
  },
  no_place_for_user: {
    status: 403,
    meaning: 'You have no account yet, and your tenant has as many users as it may have.',
    remedy: 'Ask an administrator of your tenant to deactivate a user, or the operator of the hub for more places.',
  },
  email_of_other_tenant: {
    status: 403,
    meaning: 'The e-mail address has an account in another tenant of this hub.',
    remedy: 'Sign in there, or use another address.',
  },
  token_expired: {
    status: 401,
    meaning: 'The access token of the program (`ht_`) has expired.',
    remedy: 'Create another one with `POST /api/v1/tokens`, or have an admin create one for the service account.',
  },
  token_revoked: {
    status: 401,
    meaning: 'The access token of the program (`ht_`) was revoked.',
    remedy: 'Ask its owner or an admin why, and use another one.',
  },
  token_owner_inactive: {
    status: 401,
    meaning: 'The user or service account that the access token acts as is deactivated.',
    remedy: 'Ask an admin to reactivate the account, or use a token of another one.',
  },
  token_scope_missing: {
    status: 403,
    meaning: 'The access token lacks the scope that this operation needs; `params.scope` names it.',
    remedy: 'Create a token that has this scope. The scopes of a token never change.',
  },
  token_address_not_allowed: {
    status: 403,
    meaning: 'The access token is not valid from this network address.',
    remedy:
      'Call from one of the addresses that the token was made for, or create a token for this one. Behind a proxy, the hub must trust it (`TRUSTED_PROXIES`).',
  },
  not_author: {
    status: 403,
    meaning: 'Somebody else has written this, and you are no admin.',
    remedy: 'Ask the author or an admin, or write a note of your own.',
  },
  token_outside_groups: {
    status: 403,
    meaning:
      'The access token is for machines of some groups, and the request names others, or does not say which machines it is about.',
    remedy:
      'Do what the detail says: name a machine of these groups, or add `group_id` with one of `params.group_ids`. What concerns all machines needs a token without groups.',
  },
  token_cannot_make_credentials: {
    status: 403,
    meaning: 'An access token cannot make, list or end credentials.',
    remedy: 'Sign in with `POST /api/v1/auth/login`, and do it as a person.',
  },
  token_cannot_manage_members: {
    status: 403,
    meaning: 'An access token cannot manage members, roles and service accounts.',
    remedy: 'An admin signs in with `POST /api/v1/auth/login`, and does it as a person.',
  },
  token_cannot_change_security: {
    status: 403,
    meaning: 'An access token cannot change security settings.',
    remedy: 'Sign in with `POST /api/v1/auth/login`, and change them as a person.',
  },
  token_cannot_sign: {
    status: 403,
    meaning: 'An access token cannot sign.',
    remedy: 'The person who signs signs in with `POST /api/v1/auth/login`, and sends the password with the sign-off.',
  },
  token_needs_person: {
    status: 403,
    meaning: 'The operation concerns a person, a session or a browser, and an access token has none.',
    remedy: 'Sign in with `POST /api/v1/auth/login`.',
  },
} as const satisfies Record<string, ErrorEntry>
