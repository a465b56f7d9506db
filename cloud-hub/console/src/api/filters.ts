// document 8251c09a17fbc5a0586e8497ac8878a83956909b261aed73624daeb8ad6eef73: written by npm run console:types
export const LIST_MACHINES_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const LIST_MACHINES_IS_ACTIVE = ['true', 'false', 'all'] as const
export const LIST_MACHINES_SORT_BY = ['name', 'machine_identifier', 'status', 'location', 'updated_at', 'created_at'] as const
export const LIST_MACHINES_SORT_DIR = ['asc', 'desc'] as const
export const IMPORT_MACHINES_DRY_RUN = ['true', 'false'] as const
export const LIST_MACHINE_GROUPS_GROUP_TYPE = ['site', 'line', 'department', 'custom'] as const
export const LIST_READINGS_INTERVAL = ['1m', '5m', '15m', '1h', '6h', '1d'] as const
export const LIST_READING_SERIES_INTERVAL = ['1m', '5m', '15m', '1h', '6h', '1d'] as const
export const LIST_ALERTS_SEVERITY = ['info', 'warning', 'critical'] as const
export const LIST_ALERT_GROUPS_SEVERITY = ['info', 'warning', 'critical'] as const
export const LIST_ALERT_GROUPS_SORT_BY = ['last_raised_at', 'alert_count', 'severity'] as const
export const LIST_ALERT_GROUPS_SORT_DIR = ['asc', 'desc'] as const
export const LIST_NOTIFICATION_DELIVERIES_EVENT = ['raised', 'acknowledged', 'cleared'] as const
export const LIST_NOTIFICATION_DELIVERIES_STATUS = ['delivered', 'failed'] as const
export const LIST_AGENTS_CREDENTIAL = ['enrolled', 'api_key', 'released'] as const
export const LIST_AGENTS_SORT_BY = [
  'agent_id',
  'agent_version',
  'last_seen',
  'buffer_count',
  'buffer_age_hours',
  'buffer_full_in_hours',
  'missed_poll_count',
  'dead_letter_count',
  'dropped_count',
] as const
export const LIST_AGENTS_SORT_DIR = ['asc', 'desc'] as const
export const LIST_WORK_ORDERS_STATUS_ITEM = ['open', 'in_progress', 'completed', 'cancelled'] as const
export const LIST_WORK_ORDERS_PRIORITY_ITEM = ['low', 'medium', 'high', 'critical'] as const
export const LIST_WORK_ORDERS_SORT_BY = ['created_at', 'updated_at', 'due_date', 'priority', 'status', 'title'] as const
export const LIST_WORK_ORDERS_SORT_DIR = ['asc', 'desc'] as const
export const LIST_MAINTENANCE_EVENTS_STATUS = ['scheduled', 'in_progress', 'completed', 'cancelled'] as const
export const LIST_FLEET_DOWNTIME_REASON_TYPE = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export const LIST_FLEET_DOWNTIME_SOURCE = ['manual', 'automatic'] as const
export const LIST_FLEET_DOWNTIME_STATUS = ['ongoing', 'completed'] as const
export const LIST_FLEET_DOWNTIME_SORT_BY = ['started_at', 'ended_at', 'duration_minutes', 'reason_type', 'created_at'] as const
export const LIST_FLEET_DOWNTIME_SORT_DIR = ['asc', 'desc'] as const
export const GET_FLEET_OVERVIEW_STATUS = ['healthy', 'warning', 'critical', 'offline'] as const
export const COMPARE_SITES_SORT_BY = [
  'name',
  'machine_count',
  'active_alert_count',
  'open_work_order_count',
  'downtime_hours',
  'uptime_percent',
  'mttr_hours',
  'mtbf_hours',
  'oee_pct',
  'oee_weighted_pct',
] as const
export const COMPARE_SITES_SORT_DIR = ['asc', 'desc'] as const
export const GET_FLEET_FIGURES_INTERVAL = ['none', 'week', 'day', 'shift'] as const
export const GET_FLEET_FIGURES_BY = ['machine', 'group', 'reason'] as const
export const GET_FLEET_FIGURES_SORT_BY = [
  'name',
  'period',
  'downtime_hours',
  'downtime_count',
  'uptime_percent',
  'repair_event_count',
  'failure_event_count',
  'mttr_hours',
  'mtbf_hours',
  'planned_hours',
  'run_hours',
  'oee_pct',
  'availability_pct',
  'performance_pct',
  'quality_pct',
  'part_count',
  'good_part_count',
  'alert_count',
  'critical_alert_count',
] as const
export const GET_FLEET_FIGURES_SORT_DIR = ['asc', 'desc'] as const
export const LIST_SHIFT_LOGS_STATUS = ['active', 'completed', 'cancelled'] as const
export const GET_MACHINE_OEE_INTERVAL = ['shift', '1h', '1d'] as const
export const LIST_ERP_CONNECTION_LOGS_ENTITY_TYPE = ['work_order', 'production_data', 'downtime', 'machine'] as const
export const LIST_ERP_CONNECTION_LOGS_DIRECTION = ['outbound', 'inbound'] as const
export const LIST_ERP_CONNECTION_LOGS_STATUS = ['success', 'failed', 'skipped'] as const
export const LIST_ERP_LOGS_ENTITY_TYPE = ['work_order', 'production_data', 'downtime', 'machine'] as const
export const LIST_ERP_LOGS_DIRECTION = ['outbound', 'inbound'] as const
export const LIST_ERP_LOGS_STATUS = ['success', 'failed', 'skipped'] as const
export const LIST_ERP_CONNECTION_RUNS_STATUS = ['running', 'success', 'partial', 'failed'] as const
