/** Why an alert was not delivered by a channel. */
export const DELIVERY_TEXTS = {
  receiver_answered: 'the receiver answered {status}',
  receiver_credentials: 'the receiver answered {status}, it does not accept the credentials',
  receiver_forbidden: 'the receiver answered {status}, it does not allow this to these credentials',
  receiver_redirects: 'the receiver answered {status}; redirects are not followed',
  receiver_explains: '{answer}: {explanation}',
  receiver_other_api: 'the receiver answered {status}, but not as its API does',
  receiver_deferred: 'the receiver answered {status}: it was not done',
  ticket_still_active: 'the record is still active',
  ticket_without_transition: 'the workflow has no transition from its first status to one that means done',
  test_ticket_open: 'its ticket stays open, please close it there: {reason}',
  test_incident_open: 'its incident stays open, please close it there: {reason}',
  web_push_off: 'web push is switched off',
  channel_off: 'the channel was switched off',
  raise_not_accepted: 'not sent: the tool did not accept this alert when it was raised',
  delivery_cancelled: 'given up',
  delivery_failed: 'the delivery failed on our side',
} as const
