const TO_PLANT = ['mails', 'people', 'plant']
const TO_TELEMETRY = [...TO_PLANT, 'delivery', 'alerting', 'telemetry']
const TO_PREDICTIONS = [...TO_TELEMETRY, 'work', 'production', 'predictions']

/** An area of the hub's features, and the areas below it: those that it may import, and whose tables its statements may name. */
export const AREAS: Record<string, string[]> = {
  mails: [],
  people: ['mails'],
  plant: ['mails', 'people'],
  delivery: TO_PLANT,
  alerting: [...TO_PLANT, 'delivery'],
  telemetry: [...TO_PLANT, 'delivery', 'alerting'],
  agents: TO_TELEMETRY,
  work: TO_TELEMETRY,
  production: [...TO_TELEMETRY, 'work'],
  predictions: [...TO_TELEMETRY, 'work', 'production'],
  reports: TO_PREDICTIONS,
  exchange: TO_PREDICTIONS,
  stream: TO_PREDICTIONS,
  search: [...TO_PREDICTIONS, 'agents'],
}

/** Areas that are one feature; their folders are parts of it. */
export const SINGLE = ['mails', 'reports', 'stream', 'search']
