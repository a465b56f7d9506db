/** What the hub finds about a source, or about the agent that polls it. */
export const HUB_TEXTS = {
  nothing_answers:
    'Nothing answers as {protocol} at {host}:{port}. Check host, port and settings, and that a firewall lets this hub in; a hub reaches public addresses only, so for a device inside a plant name an agent_id in config.',
  readings_rejected: '{count} of {all} readings were rejected: {reason}',
  source_without_tags: 'config names no {list}, so there is nothing to read',
  source_config_unusable: 'the configuration cannot be used: enter it again',
  source_inactive: 'the source is not active, so it is not polled',
  source_not_run: 'the source is not active, so its agent does not run it',
  machine_inactive: 'the machine is deactivated, so the source is not polled',
  agent_not_reported: 'agent {agent} polls this source, and has not reported yet',
  agent_last_reported: 'agent {agent} polls this source, and last reported at {at}',
  agent_settings_refused: 'agent {agent} could not apply its newest settings: {reason}',
  agent_without_sources: 'agent {agent} does not support sources from the hub: update it',
  agent_unconfirmed: 'agent {agent} has not confirmed these settings yet; test again in a minute',
  agent_reports: 'agent {agent} reports: {reason}',
  agent_without_answer: 'agent {agent} has not reported an answer of the device yet; test again in a minute',
} as const
