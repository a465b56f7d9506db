import type { Language } from './languages.ts'

/** Common metrics of machines, by their name in the hub. English names follow from them. */
const NAMES: Record<Language, Readonly<Record<string, string>>> = {
  en: {},
  de: {
    air_pressure: 'Luftdruck',
    ambient_temperature: 'Umgebungstemperatur',
    bearing_temperature: 'Lagertemperatur',
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
    fan_speed: 'Lüfterdrehzahl',
    fault_code: 'Fehlercode',
    feed_rate: 'Vorschub',
    flow: 'Durchfluss',
    flow_rate: 'Durchfluss',
    force: 'Kraft',
    frequency: 'Frequenz',
    gas_flow: 'Gasdurchfluss',
    good_count: 'Gutteile',
    humidity: 'Luftfeuchte',
    hydraulic_pressure: 'Hydraulikdruck',
    ideal_cycle_seconds: 'Ideale Zykluszeit',
    inlet_pressure: 'Eingangsdruck',
    level: 'Füllstand',
    load: 'Last',
    motor_current: 'Motorstrom',
    motor_temperature: 'Motortemperatur',
    noise: 'Geräuschpegel',
    oil_level: 'Ölstand',
    oil_pressure: 'Öldruck',
    oil_temperature: 'Öltemperatur',
    operating_hours: 'Betriebsstunden',
    outlet_pressure: 'Ausgangsdruck',
    part_count: 'Teile',
    position: 'Position',
    power: 'Leistung',
    power_factor: 'Leistungsfaktor',
    pressure: 'Druck',
    reject_count: 'Ausschuss',
    running: 'Läuft',
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
  },
}

/**
 * A metric as people read it: `oil_temperature` is "Oil temperature", in German "Öltemperatur". One without a name in the language
 * is written as its machine reports it.
 * @param language of the reader
 */
export const metricLabel = (name: string, language: Language = 'en'): string =>
  (Object.hasOwn(NAMES[language], name) ? NAMES[language][name] : undefined) ??
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`
