/** An area of the hub's features, and the areas below it: those that it may import, and whose tables its statements may name. */
export const AREAS: Record<string, string[]> = {
  telemetry: ['alerting', 'delivery', 'plant', 'people'],
  alerting: ['delivery', 'plant', 'people'],
  delivery: ['plant', 'people'],
  plant: ['people'],
  people: [],
  work: ['telemetry', 'alerting', 'delivery', 'plant', 'people'],
  production: ['telemetry', 'alerting', 'delivery', 'plant', 'people', 'work'],
  predictions: ['telemetry', 'alerting', 'delivery', 'plant', 'people', 'work', 'production'],
  exchange: ['telemetry', 'alerting', 'delivery', 'plant', 'people', 'work', 'production', 'predictions'],
}
