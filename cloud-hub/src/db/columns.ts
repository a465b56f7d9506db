/**
 * Written from the tables by `npm run schema`; test/schema.test.ts compares. The columns of each table for a statement whose rows match
 * drizzle's type: `id, tenant_id as "tenantId"`.
 */
export const columns = {
  accessTokens:
    'id, tenant_id as "tenantId", kind, user_id as "userId", name, prefix, token_hash as "tokenHash", scopes, group_ids as "groupIds", source_addresses as "sourceAddresses", is_active as "isActive", created_by as "createdBy", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt", warnings',
  agentDictionaries: 'tenant_id as "tenantId", agent_id as "agentId", name, content, used_at as "usedAt"',
  agentReleasePieces: 'version, platform, piece, content',
  agentReleases: 'version, sequence::float8 as "sequence", release, added_at as "addedAt"',
  agentRolloutAgents:
    'tenant_id as "tenantId", rollout_id as "rolloutId", agent_id as "agentId", wave, state, since, reason, fault, from_version as "fromVersion", received_bytes::float8 as "receivedBytes"',
  agentRollouts:
    'id, tenant_id as "tenantId", version, wave_sizes as "waveSizes", stop_after_failures as "stopAfterFailures", spread_seconds as "spreadSeconds", state, reason, fault, wave, wave_began_at as "waveBeganAt", failures, created_by as "createdBy", created_at as "createdAt", ended_at as "endedAt"',
  agentSources:
    'tenant_id as "tenantId", agent_id as "agentId", revision::float8 as "revision", running_revision::float8 as "runningRevision", fault, revision_fault as "revisionFault"',
  agents:
    'tenant_id as "tenantId", agent_id as "agentId", agent_version as "agentVersion", uptime_seconds as "uptimeSeconds", clock_offset_ms::float8 as "clockOffsetMs", buffer_count::float8 as "bufferCount", buffer_age_hours as "bufferAgeHours", buffer_bytes::float8 as "bufferBytes", buffer_capacity_bytes::float8 as "bufferCapacityBytes", buffer_bytes_per_hour as "bufferBytesPerHour", collectors, collector_faults as "collectorFaults", hostname, dropped_count::float8 as "droppedCount", dead_letter_count::float8 as "deadLetterCount", dead_letters as "deadLetters", missed_polls as "missedPolls", source_clocks as "sourceClocks", requeue_id as "requeueId", requeue_requested_at as "requeueRequestedAt", instance_id as "instanceId", last_seen as "lastSeen", conflict_at as "conflictAt", conflict_hostname as "conflictHostname", update_report as "updateReport", rollout_id as "rolloutId", browse_id as "browseId", browse_request as "browseRequest", browse_answer as "browseAnswer", browse_at as "browseAt", group_id as "groupId", released_at as "releasedAt", retired_at as "retiredAt", created_at as "createdAt"',
  alertComments:
    'id, tenant_id as "tenantId", alert_id as "alertId", author_id as "authorId", author_name as "authorName", body, created_at as "createdAt", updated_at as "updatedAt"',
  alertHistory: 'id, tenant_id as "tenantId", alert_id as "alertId", event, at, actor, details',
  alerts:
    'id, tenant_id as "tenantId", machine_id as "machineId", rule_id as "ruleId", unit, severity, metric_name as "metricName", trigger_value as "triggerValue", threshold_value as "thresholdValue", message, comparison, rule_name as "ruleName", triggered_at as "triggeredAt", is_too_old_to_notify as "isTooOldToNotify", is_muted as "isMuted", acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy", snoozed_until as "snoozedUntil", escalation_due_at as "escalationDueAt", cleared_at as "clearedAt", created_at as "createdAt"',
  anomalyEvents:
    'id, tenant_id as "tenantId", machine_id as "machineId", series_id as "seriesId", metric_name as "metricName", unit, value, sigma, baseline_mean as "baselineMean", baseline_std_dev as "baselineStdDev", started_at as "startedAt", ended_at as "endedAt", created_at as "createdAt"',
  apiKeys:
    'id, tenant_id as "tenantId", name, prefix, key_hash as "keyHash", is_active as "isActive", created_by as "createdBy", created_at as "createdAt", last_used_at as "lastUsedAt", agent_id as "agentId", activated_at as "activatedAt", revoked_at as "revokedAt", enrolment_key_id as "enrolmentKeyId", group_id as "groupId"',
  attachmentDeletions:
    'tenant_id as "tenantId", storage_key as "storageKey", attempts, error, due_at as "dueAt", created_at as "createdAt"',
  attachmentUploads:
    'tenant_id as "tenantId", storage_key as "storageKey", size_bytes::float8 as "sizeBytes", expires_at as "expiresAt"',
  attachments:
    'id, tenant_id as "tenantId", work_order_id as "workOrderId", maintenance_event_id as "maintenanceEventId", uploaded_by as "uploadedBy", filename, content_type as "contentType", size_bytes::float8 as "sizeBytes", sha256, storage_key as "storageKey", created_at as "createdAt", updated_at as "updatedAt"',
  auditLog:
    'id, tenant_id as "tenantId", at, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", ip, request_id as "requestId", action, target_type as "targetType", target_id as "targetId", target_name as "targetName", before, after',
  baselines:
    'id, tenant_id as "tenantId", machine_id as "machineId", series_id as "seriesId", metric_name as "metricName", unit, mean_value as "meanValue", std_dev as "stdDev", min_value as "minValue", max_value as "maxValue", sample_count::float8 as "sampleCount", window_start as "windowStart", window_end as "windowEnd"',
  calendarTokens:
    'id, tenant_id as "tenantId", user_id as "userId", label, token_hash as "tokenHash", created_at as "createdAt", last_used_at as "lastUsedAt"',
  certificates: 'tenant_id as "tenantId", work_order_id as "workOrderId", reference, created_at as "createdAt"',
  checklists:
    'id, tenant_id as "tenantId", name, steps, created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  compositeConditions:
    'tenant_id as "tenantId", rule_id as "ruleId", machine_id as "machineId", standing, normal_count as "normalCount", evaluated_at as "evaluatedAt", pending_at as "pendingAt", inputs, due_at as "dueAt", holds_until as "holdsUntil", version::float8 as "version"',
  compositeRules:
    'id, tenant_id as "tenantId", machine_id as "machineId", name, description, expression, metrics, severity, is_active as "isActive", created_at as "createdAt", updated_at as "updatedAt"',
  dataGaps:
    'id, tenant_id as "tenantId", agent_id as "agentId", machine_identifier as "machineIdentifier", collector, metric_name as "metricName", unit, from_at as "fromAt", to_at as "toAt", count::float8 as "count", reason, created_at as "createdAt"',
  deletedResources:
    'tenant_id as "tenantId", kind, id, machine_id as "machineId", group_id as "groupId", deleted_at as "deletedAt"',
  deliveries:
    'id, tenant_id as "tenantId", channel_id as "channelId", alert_id as "alertId", event, subject, ticket_id as "ticketId", lead_id as "leadId", group_size as "groupSize", status, attempts, due_at as "dueAt", created_at as "createdAt"',
  deliveryAttempts:
    'id, tenant_id as "tenantId", channel_id as "channelId", delivery_id as "deliveryId", alert_id as "alertId", event, attempt, status, response_status as "responseStatus", error, fault, attempted_at as "attemptedAt"',
  deliveryWindows: 'tenant_id as "tenantId", channel_id as "channelId", until, sent',
  downtimeDetections:
    'tenant_id as "tenantId", machine_id as "machineId", is_active as "isActive", signal, metric_name as "metricName", unit, stopped_values as "stoppedValues", limit_value as "limitValue", for_seconds as "forSeconds", silent_after_seconds as "silentAfterSeconds", reason_code_id as "reasonCodeId", active_since as "activeSince", next_check_at as "nextCheckAt", created_at as "createdAt", updated_at as "updatedAt"',
  downtimeFigures:
    'tenant_id as "tenantId", machine_id as "machineId", started_at as "startedAt", record_id as "recordId", ended_at as "endedAt", is_unplanned as "isUnplanned", repair_seconds as "repairSeconds", attributed_from as "attributedFrom", starts_failure as "startsFailure", previous_failure_at as "previousFailureAt", uptime_before_seconds as "uptimeBeforeSeconds", covered_until as "coveredUntil", failed_until as "failedUntil", failed_at as "failedAt", uptime_seconds as "uptimeSeconds"',
  downtimeRecords:
    'id, tenant_id as "tenantId", machine_id as "machineId", started_at as "startedAt", ended_at as "endedAt", reason_type as "reasonType", reason_code_id as "reasonCodeId", reason_note as "reasonNote", source, edited_at as "editedAt", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  downtimeRollups:
    'tenant_id as "tenantId", machine_id as "machineId", days, start_at as "startAt", downtime_ms::float8 as "downtimeMs", records, repairs, repair_ms::float8 as "repairMs", failures, intervals, uptime_ms::float8 as "uptimeMs", entering_intervals as "enteringIntervals", entering_uptime_ms::float8 as "enteringUptimeMs", entering_from_ms::float8 as "enteringFromMs"',
  enrolmentKeys:
    'id, tenant_id as "tenantId", name, prefix, key_hash as "keyHash", agent_id as "agentId", group_id as "groupId", expires_at as "expiresAt", used_at as "usedAt", used_by_agent as "usedByAgent", created_by as "createdBy", created_at as "createdAt"',
  erpBackfills:
    'tenant_id as "tenantId", connection_id as "connectionId", entity_type as "entityType", through_id as "throughId", is_complete as "isComplete"',
  erpChanges: 'id, tenant_id as "tenantId", entity_type as "entityType", entity_id as "entityId"',
  erpConnections:
    'id, tenant_id as "tenantId", provider, name, masked_config as "maskedConfig", sealed_config as "sealedConfig", is_active as "isActive", auto_push_work_orders as "autoPushWorkOrders", auto_push_production_data as "autoPushProductionData", auto_push_downtime as "autoPushDowntime", auto_pull_assets as "autoPullAssets", sync_interval_minutes as "syncIntervalMinutes", field_mapping as "fieldMapping", paused_at as "pausedAt", next_run_at as "nextRunAt", failures_in_a_row as "failuresInARow", breaker_open_until as "breakerOpenUntil", last_sync_at as "lastSyncAt", last_sync_status as "lastSyncStatus", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  erpRecords:
    'tenant_id as "tenantId", connection_id as "connectionId", entity_type as "entityType", entity_id as "entityId", external_id as "externalId", sent_hash as "sentHash", is_due as "isDue", version, failures, next_attempt_at as "nextAttemptAt", updated_at as "updatedAt"',
  erpRuns:
    'id, tenant_id as "tenantId", connection_id as "connectionId", direction, entity_type as "entityType", entity_id as "entityId", trigger, status, total, succeeded, failed, skipped, error_message as "errorMessage", fault, next_page as "nextPage", leased_until as "leasedUntil", leased_by as "leasedBy", started_at as "startedAt", ended_at as "endedAt"',
  erpSyncLogs:
    'id, tenant_id as "tenantId", erp_connection_id as "erpConnectionId", run_id as "runId", direction, entity_type as "entityType", entity_id as "entityId", external_id as "externalId", status, error_message as "errorMessage", fault, request_summary as "requestSummary", response_summary as "responseSummary", created_at as "createdAt"',
  escalationPolicies:
    'id, tenant_id as "tenantId", name, severity, wait_minutes as "waitMinutes", channel_id as "channelId", is_active as "isActive", created_at as "createdAt", updated_at as "updatedAt"',
  escalations: 'tenant_id as "tenantId", policy_id as "policyId", alert_id as "alertId", escalated_at as "escalatedAt"',
  hubKeys: 'name, public_key as "publicKey", sealed_private_key as "sealedPrivateKey", created_at as "createdAt"',
  idempotentRequests:
    'tenant_id as "tenantId", credential, key, fingerprint, claim_id as "claimId", claimed_until as "claimedUntil", status, answer, created_at as "createdAt"',
  ingestSources:
    'id, tenant_id as "tenantId", machine_id as "machineId", name, protocol, host, port, poll_interval_seconds as "pollIntervalSeconds", is_active as "isActive", agent_id as "agentId", config, sealed_secrets as "sealedSecrets", tag_count as "tagCount", last_polled_at as "lastPolledAt", last_error as "lastError", last_fault as "lastFault", namespaces, leased_by as "leasedBy", leased_until as "leasedUntil", version::float8 as "version", created_at as "createdAt", updated_at as "updatedAt"',
  loginThrottle: 'subject, failures, reserved, locked_until as "lockedUntil", updated_at as "updatedAt"',
  machineGroupMembers: 'tenant_id as "tenantId", group_id as "groupId", machine_id as "machineId"',
  machineGroups:
    'id, tenant_id as "tenantId", name, group_type as "groupType", description, color, parent_id as "parentId", time_zone as "timeZone", created_at as "createdAt", updated_at as "updatedAt"',
  machineOeeDays:
    'tenant_id as "tenantId", machine_id as "machineId", shift_date::text as "shiftDate", oee_count as "oeeCount", oee_sum_ppb::float8 as "oeeSum", planned_ms::float8 as "plannedMs", run_ms::float8 as "runMs", net_ms::float8 as "netMs", counted_ms::float8 as "countedMs", good_ms::float8 as "goodMs", parts, good_parts as "goodParts"',
  machinePredictions:
    'tenant_id as "tenantId", machine_id as "machineId", health_score as "healthScore", risk_level as "riskLevel", days_to_maintenance as "daysToMaintenance", days_to_failure as "daysToFailure", failure_low as "failureLow", failure_high as "failureHigh", limiting_metric as "limitingMetric", degradation_rate as "degradationRate", factors, narratives, read_until as "readUntil", analyzed_at as "analyzedAt"',
  machines:
    'id, tenant_id as "tenantId", name, machine_identifier as "machineIdentifier", protocol, status, status_is_manual as "statusIsManual", offline_due_at as "offlineDueAt", analysis_due_at as "analysisDueAt", location, is_active as "isActive", created_at as "createdAt", updated_at as "updatedAt"',
  mails:
    'id, tenant_id as "tenantId", user_id as "userId", to_email as "toEmail", template, locale, sealed_params as "sealedParams", status, attempts, error, due_at as "dueAt", created_at as "createdAt"',
  maintenanceEvents:
    'id, tenant_id as "tenantId", machine_id as "machineId", title, description, scheduled_start as "scheduledStart", scheduled_end as "scheduledEnd", status, linked_alert_id as "linkedAlertId", assigned_to as "assignedTo", checklist_id as "checklistId", recurrence_rule as "recurrenceRule", time_zone as "timeZone", next_occurrence as "nextOccurrence", next_occurrence_at as "nextOccurrenceAt", parent_event_id as "parentEventId", occurrence, is_edited as "isEdited", sequence, created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  mfaSecrets:
    'tenant_id as "tenantId", user_id as "userId", sealed_secret as "sealedSecret", last_step::float8 as "lastStep", enabled_at as "enabledAt", created_at as "createdAt"',
  nonProductionDays: 'id, tenant_id as "tenantId", group_id as "groupId", date::text as "date", name',
  notes:
    'id, tenant_id as "tenantId", machine_id as "machineId", group_id as "groupId", starts_at as "startsAt", ends_at as "endsAt", body, mention_ids as "mentionIds", author_id as "authorId", author_name as "authorName", created_at as "createdAt", updated_at as "updatedAt"',
  notificationChannels:
    'id, tenant_id as "tenantId", name, channel_type as "channelType", audience, follows_alert as "followsAlert", subject_kind as "subjectKind", masked_config as "maskedConfig", sealed_config as "sealedConfig", is_active as "isActive", notify_on_alert as "notifyOnAlert", refused_since as "refusedSince", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  oeeChanges:
    'id, tenant_id as "tenantId", shift_log_id as "shiftLogId", has_new_counts as "hasNewCounts", reason_code_id as "reasonCodeId", machine_id as "machineId", from_at as "fromAt", until_at as "untilAt", writer::float8 as "writer", is_read as "isRead"',
  oeeRollups:
    'tenant_id as "tenantId", machine_id as "machineId", days, start_date::text as "startDate", planned_ms::float8 as "plannedMs", run_ms::float8 as "runMs", net_ms::float8 as "netMs", counted_ms::float8 as "countedMs", good_ms::float8 as "goodMs", parts, good_parts as "goodParts"',
  oneTimeTokens:
    'token_hash as "tokenHash", tenant_id as "tenantId", user_id as "userId", purpose, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"',
  predictionHistory:
    'tenant_id as "tenantId", machine_id as "machineId", recorded_at as "recordedAt", health_score as "healthScore", risk_level as "riskLevel"',
  predictionSeries: 'tenant_id as "tenantId", series_id as "seriesId", first_day as "firstDay", medians',
  reasonCodes:
    'id, tenant_id as "tenantId", code, label, category, oee_loss_category as "oeeLossCategory", description, parent_id as "parentId", is_active as "isActive", sort_order as "sortOrder", created_at as "createdAt", updated_at as "updatedAt"',
  recoveryCodes: 'tenant_id as "tenantId", user_id as "userId", code_hash as "codeHash", used_at as "usedAt"',
  refreshTokens:
    'token_hash as "tokenHash", tenant_id as "tenantId", session_id as "sessionId", created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"',
  reportTurns: 'tenant_id as "tenantId", user_id as "userId", schedule, due_at as "dueAt"',
  roles: 'tenant_id as "tenantId", key, name, base_tier as "baseTier", is_builtin as "isBuiltin", created_at as "createdAt"',
  sendingQuotas: 'subject, sent, updated_at as "updatedAt"',
  series: 'id, tenant_id as "tenantId", machine_id as "machineId", metric, unit, place',
  sessions:
    'id, tenant_id as "tenantId", user_id as "userId", is_sso as "isSso", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"',
  shiftDefinitions:
    'id, tenant_id as "tenantId", group_id as "groupId", name, start_time as "startTime", end_time as "endTime", duration_minutes as "durationMinutes", color, is_active as "isActive", sort_order as "sortOrder", created_at as "createdAt", updated_at as "updatedAt"',
  shiftLogOee:
    'tenant_id as "tenantId", shift_log_id as "shiftLogId", machine_id as "machineId", shift_definition_id as "shiftDefinitionId", shift_date::text as "shiftDate", planned_ms::float8 as "plannedMs", not_scheduled_ms::float8 as "notScheduledMs", availability_loss_ms::float8 as "availabilityLossMs", performance_loss_ms::float8 as "performanceLossMs", quality_loss_ms::float8 as "qualityLossMs", downtime_ms::float8 as "downtimeMs", total_count as "totalCount", good_count as "goodCount", ideal_cycle_seconds as "idealCycleSeconds", oee_ppb::float8 as "oee", availability_ppb::float8 as "availability", performance_ppb::float8 as "performance", quality_ppb::float8 as "quality", ignored_dips as "ignoredDips", has_open_drop as "hasOpenDrop"',
  shiftLogRuns: 'tenant_id as "tenantId", started_through as "startedThrough"',
  shiftLogs:
    'id, tenant_id as "tenantId", machine_id as "machineId", shift_definition_id as "shiftDefinitionId", shift_date::text as "shiftDate", actual_start as "actualStart", actual_end as "actualEnd", supervisor, operator_count as "operatorCount", handover_notes as "handoverNotes", status, automatic_end as "automaticEnd", created_at as "createdAt", updated_at as "updatedAt"',
  shiftOeeDays:
    'tenant_id as "tenantId", shift_definition_id as "shiftDefinitionId", shift_date::text as "shiftDate", log_count::float8 as "logCount", downtime_ms::float8 as "downtimeMs", oee_count::float8 as "oeeCount", planned_ms::float8 as "plannedMs", oee_sum_ppb::float8 as "oeeSum", availability_sum_ppb::float8 as "availabilitySum", performance_count::float8 as "performanceCount", performance_sum_ppb::float8 as "performanceSum", quality_count::float8 as "qualityCount", quality_sum_ppb::float8 as "qualitySum", run_ms::float8 as "runMs", net_ms::float8 as "netMs", counted_ms::float8 as "countedMs", good_ms::float8 as "goodMs", parts, good_parts as "goodParts"',
  signalChanges: 'id, tenant_id as "tenantId", machine_id as "machineId", from_at as "fromAt", until_at as "untilAt"',
  signoffChains:
    'tenant_id as "tenantId", sequence::float8 as "sequence", head_hash as "headHash", anchored_sequence::float8 as "anchoredSequence", anchored_at as "anchoredAt"',
  signoffs:
    'id, tenant_id as "tenantId", work_order_id as "workOrderId", number, sequence::float8 as "sequence", signed_by as "signedBy", signer_name as "signerName", signer_email as "signerEmail", signer_role as "signerRole", names, payload_version as "payloadVersion", payload, key_id as "keyId", signature_hash as "signatureHash", previous_hash as "previousHash", tenant_previous_hash as "tenantPreviousHash", signed_at as "signedAt", created_at as "createdAt"',
  ssoConfigs:
    'tenant_id as "tenantId", provider_name as "providerName", client_id as "clientId", sealed_client_secret as "sealedClientSecret", discovery_url as "discoveryUrl", domain, domain_token as "domainToken", domain_verified_at as "domainVerifiedAt", domain_proof as "domainProof", trust_email as "trustEmail", created_at as "createdAt", updated_at as "updatedAt"',
  ssoIdentities: 'id, tenant_id as "tenantId", user_id as "userId", issuer, subject, created_at as "createdAt"',
  ssoLogins:
    'state_hash as "stateHash", tenant_id as "tenantId", sealed_checks as "sealedChecks", created_at as "createdAt", expires_at as "expiresAt"',
  tagMappings:
    'id, tenant_id as "tenantId", machine_id as "machineId", raw_tag as "rawTag", standardized_name as "standardizedName", unit, is_confirmed as "isConfirmed", confidence_score as "confidenceScore", created_at as "createdAt", updated_at as "updatedAt"',
  tenantUsage: 'tenant_id as "tenantId", kind, used::float8 as "used"',
  tenants:
    'id, name, subscription_status as "subscriptionStatus", subscription_tier as "subscriptionTier", facts_version::float8 as "factsVersion", has_tag_mappings as "hasTagMappings", unit_preferences as "unitPreferences", email_prefs as "emailPrefs", time_zone as "timeZone", auto_shift_logs as "autoShiftLogs", shift_logs_due_at as "shiftLogsDueAt", narratives_enabled as "narrativesEnabled", require_mfa as "requireMfa", raw_retention_days as "rawRetentionDays", minute_retention_days as "minuteRetentionDays", hour_retention_days as "hourRetentionDays", limits, created_at as "createdAt"',
  thresholdConditions:
    'tenant_id as "tenantId", rule_id as "ruleId", machine_id as "machineId", unit, standing, current, normal_count as "normalCount", evaluated_at as "evaluatedAt"',
  thresholdRules:
    'id, tenant_id as "tenantId", machine_id as "machineId", metric_name as "metricName", warning_threshold as "warningThreshold", critical_threshold as "criticalThreshold", is_active as "isActive", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  users:
    'id, tenant_id as "tenantId", email, full_name as "fullName", password_hash as "passwordHash", role, is_active as "isActive", is_invited as "isInvited", is_service as "isService", responsible_id as "responsibleId", phone, timezone, locale, report_schedule as "reportSchedule", report_emails as "reportEmails", is_report_stale as "isReportStale", mfa_enabled as "mfaEnabled", onboarding_completed as "onboardingCompleted", pinned_metrics as "pinnedMetrics", last_login_at as "lastLoginAt", created_at as "createdAt"',
  workMessages:
    'id, tenant_id as "tenantId", kind, user_id as "userId", channel_id as "channelId", work_order_id as "workOrderId", maintenance_event_id as "maintenanceEventId", note_id as "noteId", status, attempts, error, due_at as "dueAt", created_at as "createdAt"',
  workOrderAssignees: 'tenant_id as "tenantId", work_order_id as "workOrderId", user_id as "userId", position',
  workOrderComments:
    'id, tenant_id as "tenantId", work_order_id as "workOrderId", author_id as "authorId", author_name as "authorName", body, created_at as "createdAt", updated_at as "updatedAt"',
  workOrderHistory:
    'id, tenant_id as "tenantId", work_order_id as "workOrderId", at, actor, event, subject_id as "subjectId", subject_name as "subjectName", changes',
  workOrderInstructions:
    'id, tenant_id as "tenantId", work_order_id as "workOrderId", step_order as "stepOrder", title, body, attachment_id as "attachmentId", completed_at as "completedAt", completed_by as "completedBy", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  workOrders:
    'id, tenant_id as "tenantId", machine_id as "machineId", alert_id as "alertId", maintenance_event_id as "maintenanceEventId", title, description, status, priority, assigned_to as "assignedTo", due_date as "dueDate", completed_at as "completedAt", completion_notes as "completionNotes", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"',
  workReminders:
    'id, tenant_id as "tenantId", kind, work_order_id as "workOrderId", maintenance_event_id as "maintenanceEventId", for_time as "forTime", sent_at as "sentAt"',
}
