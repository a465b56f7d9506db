/** Why an agent does not take the version of a rollout, or why a rollout was stopped. */
export const ROLLOUT_TEXTS = {
  agent_version_without_updates: 'its version {version} does not take updates from the hub',
  agent_version_same: 'it has version {version}',
  agent_version_not_comparable: 'its version {version} cannot be compared',
  agent_version_too_old: 'its version {version} is older than {minimum}',
  agent_platform_missing: 'there is no archive for {platform}',
  agent_retired: 'it was retired',
  agent_takes_no_updates: 'it takes no updates',
  rollout_without_agents: 'there is no agent to update',
  agent_silent_in_update: 'nothing was heard of it for an hour; it was {state}',
  agent_stuck_in_update: 'it has been {state} for {hours} hours: see journalctl -u haltless-agent-update on its computer',
  agent_update_unexplained: 'no reason given',
  rollout_stopped_by: '{agent}: {reason}',
} as const
