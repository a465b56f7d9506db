import type { Language } from './languages.ts'

/** Common metrics of machines, by their name in the hub. English names follow from them. */
const NAMES: Record<Language, Readonly<Record<string, string>>> = {
  en: {},
  de: {
    air_pressure: 'Luftdruck',
    ambient_temperature: 'Umgebungstemperatur',
    bearing_temperature: 'Lagertemperatur',
    belt_speed: 'Bandgeschwindigkeit',
    conductivity: 'Leitfähigkeit',
    coolant_flow: 'Kühlmittelfluss',
    coolant_pressure: 'Kühlmitteldruck',
    coolant_temperature: 'Kühlmitteltemperatur',
    current: 'Strom',
    cycle_time: 'Zykluszeit',
    dew_point: 'Taupunkt',
    differential_pressure: 'Differenzdruck',
    discharge_pressure: 'Enddruck',
    discharge_temperature: 'Endtemperatur',
    energy: 'Energie',
    exhaust_temperature: 'Ablufttemperatur',
    fan_speed: 'Lüfterdrehzahl',
    fault_code: 'Fehlercode',
    feed_rate: 'Vorschub',
    film_tension: 'Folienspannung',
    flow: 'Durchfluss',
    flow_rate: 'Durchfluss',
    force: 'Kraft',
    frequency: 'Frequenz',
    gas_flow: 'Gasdurchfluss',
    good_count: 'Gutteile',
    heater_power: 'Heizleistung',
    humidity: 'Luftfeuchte',
    hydraulic_pressure: 'Hydraulikdruck',
    ideal_cycle_seconds: 'Ideale Zykluszeit',
    inlet_pressure: 'Eingangsdruck',
    level: 'Füllstand',
    line_speed: 'Liniengeschwindigkeit',
    load: 'Last',
    loaded: 'Unter Last',
    motor_current: 'Motorstrom',
    motor_temperature: 'Motortemperatur',
    noise: 'Geräuschpegel',
    oil_level: 'Ölstand',
    oil_pressure: 'Öldruck',
    oil_temperature: 'Öltemperatur',
    operating_hours: 'Betriebsstunden',
    operating_seconds: 'Betriebszeit',
    outlet_pressure: 'Ausgangsdruck',
    part_count: 'Teile',
    position: 'Position',
    power: 'Leistung',
    power_factor: 'Leistungsfaktor',
    press_force: 'Presskraft',
    pressure: 'Druck',
    reject_count: 'Ausschuss',
    running: 'Läuft',
    seal_temperature: 'Siegeltemperatur',
    speed: 'Drehzahl',
    speed_setpoint: 'Solldrehzahl',
    spindle_load: 'Spindellast',
    spindle_speed: 'Spindeldrehzahl',
    spindle_temperature: 'Spindeltemperatur',
    temperature: 'Temperatur',
    temperature_setpoint: 'Solltemperatur',
    tension: 'Spannung (mechanisch)',
    thickness: 'Dicke',
    torque: 'Drehmoment',
    total_count: 'Gesamtzahl',
    vacuum: 'Vakuum',
    valve_position: 'Ventilstellung',
    voltage: 'Spannung',
    weight: 'Gewicht',
    zone_1_temperature: 'Temperatur Zone 1',
    zone_2_temperature: 'Temperatur Zone 2',
  },
}

/** The common metrics, by their name in the hub. */
export const commonMetrics = (): readonly string[] => Object.keys(NAMES.de)

/**
 * A metric as people read it: `oil_temperature` is "Oil temperature", in German "Öltemperatur". One without a name in the language
 * is written as its machine reports it.
 * @param language of the reader
 */
export const metricLabel = (name: string, language: Language = 'en'): string =>
  (Object.hasOwn(NAMES[language], name) ? NAMES[language][name] : undefined) ??
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
