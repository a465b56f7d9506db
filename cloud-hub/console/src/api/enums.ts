// document 8251c09a17fbc5a0586e8497ac8878a83956909b261aed73624daeb8ad6eef73: written by npm run console:types
export const WEBHOOK_ALERT_SEVERITY = ['info', 'warning', 'critical'] as const
export const WEBHOOK_TEST_SEVERITY = ['info', 'warning', 'critical'] as const
export const CURRENT_USER_SUBSCRIPTION_STATUS = ['active', 'trialing', 'past_due', 'canceled'] as const
export const CURRENT_USER_SUBSCRIPTION_TIER = ['free', 'pro', 'enterprise'] as const
export const ROLE_BASE_TIER = ['admin', 'operator', 'viewer'] as const
export const ROLE_CREATE_BASE_TIER = ['admin', 'operator', 'viewer'] as const
export const USER_STATUS = ['active', 'invited', 'deactivated'] as const
export const CREATED_PROGRAM_TOKEN_STATUS = ['active', 'expired', 'revoked'] as const
export const TOKEN_SCOPE = [
  'machines:read',
  'machines:write',
  'readings:read',
  'alerts:read',
  'alerts:write',
  'rules:read',
  'rules:write',
  'channels:read',
  'channels:write',
  'work:read',
  'work:write',
  'production:read',
  'production:write',
  'agents:read',
  'agents:write',
  'erp:read',
  'erp:write',
  'settings:read',
  'settings:write',
  'team:read',
  'audit:read',
  'stream:read',
] as const
export const PROGRAM_TOKEN_STATUS = ['active', 'expired', 'revoked'] as const
export const TENANT_LIMITS_LIMITS_ITEM_KIND = [
  'machines',
  'series',
  'rules',
  'channels',
  'users',
  'tokens',
  'attachment_bytes',
  'idempotency_keys',
] as const
export const REPORT_SETTINGS_REPORT_SCHEDULE = ['daily', 'weekly', 'monthly'] as const
export const REPORT_SETTINGS_PATCH_REPORT_SCHEDULE = ['daily', 'weekly', 'monthly'] as const
export const AUDIT_ENTRY_ACTOR_KIND = ['user', 'token', 'api_key', 'enrolment_key', 'operator', 'anonymous', 'hub'] as const
export const MACHINE_PROTOCOL = ['opc_ua', 'modbus_tcp', 'csv', 'json'] as const
export const MACHINE_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const MACHINE_CREATE_PROTOCOL = ['opc_ua', 'modbus_tcp', 'csv', 'json'] as const
export const MACHINE_PATCH_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const MACHINE_GROUP_WITH_MEMBERS_GROUP_TYPE = ['site', 'line', 'department', 'custom'] as const
export const MACHINE_GROUP_CREATE_GROUP_TYPE = ['site', 'line', 'department', 'custom'] as const
export const MACHINE_GROUP_GROUP_TYPE = ['site', 'line', 'department', 'custom'] as const
export const MACHINE_GROUP_NODE_GROUP_TYPE = ['site', 'line', 'department', 'custom'] as const
export const MACHINE_GROUP_PUT_GROUP_TYPE = ['site', 'line', 'department', 'custom'] as const
export const HEALTH_PREDICTION_RISK_LEVEL = ['healthy', 'watch', 'warning', 'critical'] as const
export const HEALTH_PREDICTION_AI_NARRATIVE_SOURCE = ['model', 'template'] as const
export const NARRATIVE_SOURCE = ['model', 'template'] as const
export const PREDICTION_HISTORY_POINTS_ITEM_RISK_LEVEL = ['healthy', 'watch', 'warning', 'critical'] as const
export const FAULT_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const INGEST_SOURCE_PUT_PROTOCOL = ['opcua', 'modbus'] as const
export const SOURCE_BROWSE_ANSWER_ERROR_FAULT_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const SOURCE_BROWSE_ANSWER_NODES_ITEM_REASON_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const SOURCE_BROWSE_ANSWER_REGISTERS_VALUES_ITEM_DATA_TYPE = [
  'bool',
  'int8_low',
  'uint8_low',
  'int8_high',
  'uint8_high',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int48',
  'uint48',
  'int64',
  'uint64',
  'float32',
  'float64',
  'bcd16',
  'bcd32',
  'string',
] as const
export const SOURCE_BROWSE_ANSWER_REGISTERS_VALUES_ITEM_BYTE_ORDER = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const
export const SOURCE_BROWSE_TABLE = ['holding', 'input', 'coil', 'discrete'] as const
export const COMPOSITE_RULE_SEVERITY = ['info', 'warning', 'critical'] as const
export const COMPOSITE_EXPRESSION_OPERATOR = ['AND', 'OR'] as const
export const COMPOSITE_EXPRESSION_CONDITIONS_ITEM_OP = ['>', '>=', '<', '<=', '=='] as const
export const COMPOSITE_RULE_CREATE_SEVERITY = ['info', 'warning', 'critical'] as const
export const COMPOSITE_RULE_PUT_SEVERITY = ['info', 'warning', 'critical'] as const
export const RULE_BACKTEST_RESULT_ALERTS_ITEM_SEVERITY = ['info', 'warning', 'critical'] as const
export const RULE_BACKTEST_SEVERITY = ['info', 'warning', 'critical'] as const
export const ESCALATION_POLICY_SEVERITY = ['info', 'warning', 'critical'] as const
export const ESCALATION_POLICY_CREATE_SEVERITY = ['info', 'warning', 'critical'] as const
export const ESCALATION_POLICY_PUT_SEVERITY = ['info', 'warning', 'critical'] as const
export const ALERT_SEVERITY = ['info', 'warning', 'critical'] as const
export const ALERT_COMPARISON = ['>', '>=', '<', '<=', '=='] as const
export const ALERT_RULE_KIND = ['threshold', 'composite'] as const
export const ALERT_GROUP_RULE_KIND = ['threshold', 'composite'] as const
export const ALERT_GROUP_SEVERITY = ['info', 'warning', 'critical'] as const
export const BULK_ACKNOWLEDGE_FILTER_SEVERITY = ['info', 'warning', 'critical'] as const
export const ALERT_HISTORY_ENTRY_EVENT = ['raised', 'acknowledged', 'snoozed', 'cleared', 'escalated'] as const
export const SEARCH_ANSWER_SEARCHED_ITEM = ['machines', 'alerts', 'work_orders', 'agents', 'people'] as const
export const FOUND_MACHINE_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const FOUND_ALERT_SEVERITY = ['info', 'warning', 'critical'] as const
export const FOUND_ORDER_TITLE_FACTS_SEVERITY = ['info', 'warning', 'critical'] as const
export const FOUND_ORDER_TITLE_FACTS_COMPARISON = ['>', '>=', '<', '<=', '=='] as const
export const FOUND_ORDER_TITLE_FACTS_RULE_KIND = ['threshold', 'composite'] as const
export const FOUND_ORDER_STATUS = ['open', 'in_progress', 'completed', 'cancelled'] as const
export const FOUND_ORDER_PRIORITY = ['low', 'medium', 'high', 'critical'] as const
export const DELIVERY_ATTEMPT_EVENT = ['raised', 'acknowledged', 'cleared'] as const
export const DIRECTIVES_STATUS = ['ok', 'payment_required'] as const
export const HEARTBEAT_ANSWER_STATUS = ['ok', 'payment_required'] as const
export const TELEMETRY_GAPS_ITEM_REASON = ['disk_full', 'age_limit', 'damaged'] as const
export const TELEMETRY_MISSED_ITEM_REASON = ['skipped', 'no_answer', 'no_value'] as const
export const TELEMETRY_SOURCES_REVISION_FAULT_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const TELEMETRY_SOURCES_STATES_ITEM_FAULT_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const TELEMETRY_UPDATE_WHY_NOT_FAULT_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const TELEMETRY_UPDATE_STATE = [
  'waiting',
  'downloading',
  'verified',
  'switched',
  'confirmed',
  'rolled_back',
  'refused',
] as const
export const TELEMETRY_UPDATE_FAULT_SOURCE = ['device', 'network', 'agent', 'hub', 'config'] as const
export const AGENT_CHECK_ANSWER_MACHINES_ITEM_STATUS = ['active', 'inactive', 'unknown'] as const
export const FLEET_AGENT_CREDENTIAL = ['enrolled', 'api_key', 'released'] as const
export const FLEET_AGENT_UPDATE_STATE = [
  'waiting',
  'downloading',
  'verified',
  'switched',
  'confirmed',
  'rolled_back',
  'refused',
] as const
export const AGENT_ROLLOUT_DETAIL_STATE = ['running', 'paused', 'stopped', 'completed', 'cancelled'] as const
export const AGENT_ROLLOUT_DETAIL_AGENTS_ITEM_STATE = [
  'pending',
  'announced',
  'waiting',
  'downloading',
  'verified',
  'switched',
  'confirmed',
  'rolled_back',
  'refused',
  'failed',
  'skipped',
  'cancelled',
] as const
export const AGENT_ROLLOUT_STATE = ['running', 'paused', 'stopped', 'completed', 'cancelled'] as const
export const ENROLMENT_KEY_STATUS = ['unused', 'used', 'expired'] as const
export const WORK_ORDER_TITLE_FACTS_SEVERITY = ['info', 'warning', 'critical'] as const
export const WORK_ORDER_TITLE_FACTS_COMPARISON = ['>', '>=', '<', '<=', '=='] as const
export const WORK_ORDER_TITLE_FACTS_RULE_KIND = ['threshold', 'composite'] as const
export const WORK_ORDER_STATUS = ['open', 'in_progress', 'completed', 'cancelled'] as const
export const WORK_ORDER_PRIORITY = ['low', 'medium', 'high', 'critical'] as const
export const WORK_ORDER_CREATE_PRIORITY = ['low', 'medium', 'high', 'critical'] as const
export const WORK_ORDER_PATCH_PRIORITY = ['low', 'medium', 'high', 'critical'] as const
export const WORK_ORDER_PATCH_STATUS = ['open', 'in_progress', 'completed', 'cancelled'] as const
export const WORK_ORDER_HISTORY_ENTRY_EVENT = [
  'created',
  'updated',
  'assignee_added',
  'assignee_removed',
  'instruction_added',
  'instruction_updated',
  'instruction_completed',
  'instruction_reopened',
  'instruction_removed',
  'attachment_added',
  'attachment_removed',
  'signed',
] as const
export const MAINTENANCE_EVENT_STATUS = ['scheduled', 'in_progress', 'completed', 'cancelled'] as const
export const MAINTENANCE_EVENT_RECURRENCE_RULE = ['daily', 'weekly', 'monthly', 'quarterly'] as const
export const MAINTENANCE_EVENT_CREATE_RECURRENCE_RULE = ['daily', 'weekly', 'monthly', 'quarterly'] as const
export const MAINTENANCE_EVENT_PUT_STATUS = ['scheduled', 'in_progress', 'completed', 'cancelled'] as const
export const MAINTENANCE_EVENT_PUT_RECURRENCE_RULE = ['daily', 'weekly', 'monthly', 'quarterly'] as const
export const DOWNTIME_DETECTION_SIGNAL = ['state', 'level', 'count', 'silence'] as const
export const DOWNTIME_DETECTION_PUT_SIGNAL = ['state', 'level', 'count', 'silence'] as const
export const REASON_CODE_CATEGORY = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const REASON_CODE_OEE_LOSS_CATEGORY = ['availability_loss', 'performance_loss', 'quality_loss', 'not_scheduled'] as const
export const REASON_CODE_NODE_CATEGORY = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const REASON_CODE_NODE_OEE_LOSS_CATEGORY = [
  'availability_loss',
  'performance_loss',
  'quality_loss',
  'not_scheduled',
] as const
export const REASON_CODE_CREATE_CATEGORY = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const REASON_CODE_CREATE_OEE_LOSS_CATEGORY = [
  'availability_loss',
  'performance_loss',
  'quality_loss',
  'not_scheduled',
] as const
export const REASON_CODE_PUT_CATEGORY = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const REASON_CODE_PUT_OEE_LOSS_CATEGORY = [
  'availability_loss',
  'performance_loss',
  'quality_loss',
  'not_scheduled',
] as const
export const DOWNTIME_RECORD_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const DOWNTIME_RECORD_SOURCE = ['manual', 'automatic'] as const
export const EMBEDDED_REASON_CODE_CATEGORY = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const EMBEDDED_REASON_CODE_OEE_LOSS_CATEGORY = [
  'availability_loss',
  'performance_loss',
  'quality_loss',
  'not_scheduled',
] as const
export const DOWNTIME_CREATE_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const DOWNTIME_PUT_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const DOWNTIME_SPLIT_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const PARETO_REASON_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const FLEET_MACHINE_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const OVERVIEW_MACHINE_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const VIOLATION_SEVERITY = ['info', 'warning', 'critical'] as const
export const FLEET_FIGURES_INTERVAL = ['none', 'week', 'day', 'shift'] as const
export const FLEET_FIGURES_BY = ['machine', 'group', 'reason'] as const
export const FIGURES_ENTRY_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const SHIFT_LOG_STATUS = ['active', 'completed', 'cancelled'] as const
export const SHIFT_LOG_CREATE_STATUS = ['active', 'completed', 'cancelled'] as const
export const SHIFT_LOG_PATCH_STATUS = ['active', 'completed', 'cancelled'] as const
export const SHIFT_HANDOVER_ALERTS_DURING_SHIFT_ITEM_SEVERITY = ['info', 'warning', 'critical'] as const
export const SHIFT_HANDOVER_ALERTS_DURING_SHIFT_ITEM_COMPARISON = ['>', '>=', '<', '<=', '=='] as const
export const SHIFT_HANDOVER_ALERTS_DURING_SHIFT_ITEM_RULE_KIND = ['threshold', 'composite'] as const
export const SHIFT_HANDOVER_DOWNTIME_DURING_SHIFT_ITEM_REASON_TYPE = [
  'planned',
  'unplanned',
  'changeover',
  'maintenance',
] as const
export const SHIFT_HANDOVER_MICRO_STOPS_ITEM_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const ACTIVE_SHIFT_LOG_STATUS = ['active', 'completed', 'cancelled'] as const
export const MACHINE_OEE_INTERVAL = ['shift', '1h', '1d'] as const
export const MACHINE_OEE_PERIODS_ITEM_PERFORMANCE_SOURCE = ['counters', 'time_losses'] as const
export const MACHINE_OEE_PERIODS_ITEM_QUALITY_SOURCE = ['counters', 'time_losses'] as const
export const ERP_CONNECTION_PATCH_PROVIDER = ['erp_a', 'erp_b', 'erp_c'] as const
export const ERP_CONNECTION_TEST_PROVIDER = ['erp_a', 'erp_b', 'erp_c'] as const
export const ERP_PREVIEW_ACTION = ['create', 'update', 'none'] as const
export const ERP_PREVIEW_CREATE_ENTITY_TYPE = ['work_order', 'production_data', 'downtime'] as const
export const ERP_SYNC_LOG_DIRECTION = ['outbound', 'inbound'] as const
export const ERP_SYNC_LOG_ENTITY_TYPE = ['work_order', 'production_data', 'downtime', 'machine'] as const
export const ERP_SYNC_LOG_STATUS = ['success', 'failed', 'skipped'] as const
export const ERP_SYNC_CREATE_DIRECTION = ['outbound', 'inbound'] as const
export const ERP_SYNC_CREATE_ENTITY_TYPE = ['work_order', 'production_data', 'downtime', 'machine'] as const
export const ERP_RUN_DIRECTION = ['outbound', 'inbound'] as const
export const ERP_RUN_ENTITY_TYPE = ['work_order', 'production_data', 'downtime', 'machine'] as const
export const ERP_RUN_TRIGGER = ['manual', 'automatic'] as const
export const ERP_RUN_STATUS = ['running', 'success', 'partial', 'failed'] as const
export const INGEST_SOURCE_OPCUA_CONFIG_SECURITY_MODE = ['None', 'Sign', 'SignAndEncrypt'] as const
export const INGEST_SOURCE_OPCUA_CONFIG_SECURITY_POLICY = [
  'None',
  'Basic256Sha256',
  'Aes128_Sha256_RsaOaep',
  'Aes256_Sha256_RsaPss',
] as const
export const INGEST_SOURCE_OPCUA_CONFIG_MODE = ['poll', 'subscribe'] as const
export const INGEST_SOURCE_OPCUA_CONFIG_TIMESTAMPS = ['source', 'server', 'agent'] as const
export const INGEST_SOURCE_MODBUS_CONFIG_FRAMING = ['tcp', 'rtu'] as const
export const INGEST_SOURCE_MODBUS_CONFIG_REGISTERS_ITEM_TABLE = ['holding', 'input', 'coil', 'discrete'] as const
export const INGEST_SOURCE_MODBUS_CONFIG_REGISTERS_ITEM_DATA_TYPE = [
  'bool',
  'int8_low',
  'uint8_low',
  'int8_high',
  'uint8_high',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int48',
  'uint48',
  'int64',
  'uint64',
  'float32',
  'float64',
  'bcd16',
  'bcd32',
  'string',
] as const
export const INGEST_SOURCE_MODBUS_CONFIG_REGISTERS_ITEM_BYTE_ORDER = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const
export const INGEST_SOURCE_CREATE_OPCUA_CONFIG_SECURITY_MODE = ['None', 'Sign', 'SignAndEncrypt'] as const
export const INGEST_SOURCE_CREATE_OPCUA_CONFIG_SECURITY_POLICY = [
  'None',
  'Basic256Sha256',
  'Aes128_Sha256_RsaOaep',
  'Aes256_Sha256_RsaPss',
] as const
export const INGEST_SOURCE_CREATE_OPCUA_CONFIG_MODE = ['poll', 'subscribe'] as const
export const INGEST_SOURCE_CREATE_OPCUA_CONFIG_TIMESTAMPS = ['source', 'server', 'agent'] as const
export const INGEST_SOURCE_CREATE_MODBUS_CONFIG_FRAMING = ['tcp', 'rtu'] as const
export const INGEST_SOURCE_CREATE_MODBUS_CONFIG_REGISTERS_ITEM_TABLE = ['holding', 'input', 'coil', 'discrete'] as const
export const INGEST_SOURCE_CREATE_MODBUS_CONFIG_REGISTERS_ITEM_DATA_TYPE = [
  'bool',
  'int8_low',
  'uint8_low',
  'int8_high',
  'uint8_high',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int48',
  'uint48',
  'int64',
  'uint64',
  'float32',
  'float64',
  'bcd16',
  'bcd32',
  'string',
] as const
export const INGEST_SOURCE_CREATE_MODBUS_CONFIG_REGISTERS_ITEM_BYTE_ORDER = ['ABCD', 'CDAB', 'BADC', 'DCBA'] as const
export const NOTIFICATION_CHANNEL_INCIDENT_B_CONFIG_REGION = ['us', 'eu'] as const
export const NOTIFICATION_CHANNEL_CREATE_INCIDENT_B_CONFIG_REGION = ['us', 'eu'] as const
export const ERP_CONNECTION_ERP_A_LAST_SYNC_STATUS = ['success', 'partial', 'failed'] as const
export const ERP_CONNECTION_ERP_B_LAST_SYNC_STATUS = ['success', 'partial', 'failed'] as const
export const ERP_CONNECTION_ERP_C_LAST_SYNC_STATUS = ['success', 'partial', 'failed'] as const
