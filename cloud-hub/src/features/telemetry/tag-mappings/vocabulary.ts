/** What a word can say: what is measured, of what, in which role, in which unit. */
export type Quantity =
  | 'temperature'
  | 'pressure'
  | 'vacuum'
  | 'vibration'
  | 'speed'
  | 'velocity'
  | 'torque'
  | 'current'
  | 'voltage'
  | 'power'
  | 'energy'
  | 'power_factor'
  | 'frequency'
  | 'flow'
  | 'level'
  | 'humidity'
  | 'weight'
  | 'force'
  | 'position'
  | 'angle'
  | 'cycle_time'
  | 'ideal_cycle_seconds'
  | 'total_count'
  | 'good_count'
  | 'reject_count'
  | 'operating_hours'
  | 'load'
  | 'valve_position'
  | 'ph'
  | 'conductivity'
  | 'tension'
  | 'thickness'
  | 'running'
  | 'fault_code'
export type Qualifier =
  | 'motor'
  | 'bearing'
  | 'oil'
  | 'coolant'
  | 'ambient'
  | 'hydraulic'
  | 'air'
  | 'differential'
  | 'fan'
  | 'valve'
  | 'belt'
  | 'axis'
  | 'spindle'
  | 'filter'
  | 'pump'
  | 'tank'

interface Meaning {
  quantity?: Quantity
  qualifier?: Qualifier
  role?: 'actual' | 'setpoint'
  /** 0 to 1: how likely the word means this; abbreviations and symbols have lower weights */
  weight: number
}

const words = (text: string, meaning: Omit<Meaning, 'weight'>, weight: number): [string, Meaning][] =>
  text.split(' ').map((word) => [word, { ...meaning, weight }])

/** English and German terms of the trade: whole words, abbreviations and symbols (DIN 1304, ISA-5.1). */
export const VOCABULARY: ReadonlyMap<string, Meaning> = new Map([
  ...words('temperature temperatur temperaturen', { quantity: 'temperature' }, 1),
  ...words('temp temps tmp', { quantity: 'temperature' }, 0.95),
  ...words('tt tic tir heizzone heater', { quantity: 'temperature' }, 0.7),
  ...words('pressure druck', { quantity: 'pressure' }, 1),
  ...words('press prs', { quantity: 'pressure' }, 0.8),
  ...words('pt pic pir', { quantity: 'pressure' }, 0.7),
  ...words('vacuum vakuum', { quantity: 'vacuum' }, 1),
  ...words('vibration vibrations schwingung schwingungen', { quantity: 'vibration' }, 1),
  ...words('vib', { quantity: 'vibration' }, 0.95),
  ...words('speed drehzahl', { quantity: 'speed' }, 1),
  ...words('spd', { quantity: 'speed' }, 0.9),
  ...words('velocity geschwindigkeit vorschub feed feedrate', { quantity: 'velocity' }, 1),
  ...words('torque drehmoment moment', { quantity: 'torque' }, 1),
  ...words('trq', { quantity: 'torque' }, 0.9),
  ...words('current strom amps amperage stromaufnahme', { quantity: 'current' }, 1),
  ...words('cur amp curr', { quantity: 'current' }, 0.85),
  ...words('voltage spannung volts volt', { quantity: 'voltage' }, 1),
  ...words('power leistung wirkleistung', { quantity: 'power' }, 1),
  ...words('pwr', { quantity: 'power' }, 0.9),
  ...words('energy energie wirkarbeit arbeit stromverbrauch', { quantity: 'energy' }, 1),
  ...words('cosphi powerfactor leistungsfaktor pf', { quantity: 'power_factor' }, 0.95),
  ...words('frequency frequenz', { quantity: 'frequency' }, 1),
  ...words('freq', { quantity: 'frequency' }, 0.95),
  ...words('flow durchfluss flowrate volumenstrom verbrauch', { quantity: 'flow' }, 1),
  ...words('ft fic fir', { quantity: 'flow' }, 0.7),
  ...words('level fuellstand niveau stand wasserstand pegel', { quantity: 'level' }, 1),
  ...words('lvl lt lic', { quantity: 'level' }, 0.8),
  ...words('humidity feuchte feuchtigkeit luftfeuchte luftfeuchtigkeit', { quantity: 'humidity' }, 1),
  ...words('hum rh', { quantity: 'humidity' }, 0.85),
  ...words('weight gewicht masse', { quantity: 'weight' }, 1),
  ...words('wt scale waage', { quantity: 'weight' }, 0.75),
  ...words('force kraft presskraft', { quantity: 'force' }, 1),
  ...words('position stroke hub weg', { quantity: 'position' }, 1),
  ...words('pos', { quantity: 'position' }, 0.85),
  ...words('angle winkel drehwinkel', { quantity: 'angle' }, 1),
  ...words('taktzeit zykluszeit cycletime', { quantity: 'cycle_time' }, 1),
  ...words('stueckzahl stueckzaehler partcount produktionszaehler', { quantity: 'total_count' }, 0.95),
  ...words('gutteile gutteil iozaehler', { quantity: 'good_count' }, 0.95),
  ...words('ausschuss schlechtteile nio scrap', { quantity: 'reject_count' }, 0.95),
  ...words('betriebsstunden betriebsstundenzaehler runhours', { quantity: 'operating_hours' }, 1),
  ...words('bh hrs', { quantity: 'operating_hours' }, 0.75),
  ...words('load last auslastung', { quantity: 'load' }, 0.9),
  ...words('opening stellung ventilstellung oeffnung', { quantity: 'valve_position' }, 0.9),
  ...words('ph', { quantity: 'ph' }, 0.85),
  ...words('conductivity leitwert leitfaehigkeit', { quantity: 'conductivity' }, 1),
  ...words('tension zug bahnzug zugkraft', { quantity: 'tension' }, 0.9),
  ...words('thickness dicke', { quantity: 'thickness' }, 1),
  ...words('running laeuft', { quantity: 'running' }, 0.95),
  ...words('run autorun', { quantity: 'running' }, 0.7),
  ...words('fault error alarm stoerung stoercode fehlercode fehler err', { quantity: 'fault_code' }, 0.8),

  ...words('motor mtr motoren servo winding', { qualifier: 'motor' }, 1),
  ...words('bearing lager brg', { qualifier: 'bearing' }, 1),
  ...words('oil oel', { qualifier: 'oil' }, 1),
  ...words('coolant kuehlwasser kuehlmittel kuehl chw cooling', { qualifier: 'coolant' }, 1),
  ...words('ambient umgebung umgebungs raum room', { qualifier: 'ambient' }, 1),
  ...words('hydraulic hydraulik hyd hydr system', { qualifier: 'hydraulic' }, 1),
  ...words('air luft druckluft pneumatik pneumatic', { qualifier: 'air' }, 1),
  ...words('differential differenz delta', { qualifier: 'differential' }, 1),
  ...words('dp', { qualifier: 'differential', quantity: 'pressure' }, 0.9),
  ...words('fan luefter ventilator', { qualifier: 'fan' }, 1),
  ...words('valve vlv ventil klappe fcv', { qualifier: 'valve' }, 1),
  ...words('belt conv conveyor band foerderband', { qualifier: 'belt' }, 1),
  ...words('axis achse axe', { qualifier: 'axis' }, 1),
  ...words('spindle spindel', { qualifier: 'spindle' }, 1),
  ...words('filter flt', { qualifier: 'filter' }, 1),
  ...words('pump pumpe pmp', { qualifier: 'pump' }, 1),
  ...words('tank behaelter silo hopper', { qualifier: 'tank' }, 1),

  ...words('actual act ist istwert pv fb last', { role: 'actual' }, 1),
  ...words('setpoint soll sollwert sp sv set', { role: 'setpoint' }, 1),
])

/** Words without a meaning here that occur in compounds. */
export const FILLERS = new Set(
  'vorlauf ruecklauf abgas austritt eintritt saug kessel zone wert gesamt total sum netz zaehler halle schalt schrank mould mold barrel nozzle inj injection'.split(
    ' ',
  ),
)

/** Unit labels by their spelling at the end of a word, with the quantities that they imply. */
export const UNITS: ReadonlyMap<string, { unit: string; quantities: readonly Quantity[] }> = new Map(
  (
    [
      ['degc celsius grad', 'celsius', 'temperature'],
      ['c', 'celsius', 'temperature'],
      ['degf fahrenheit', 'fahrenheit', 'temperature'],
      ['f', 'fahrenheit', 'temperature'],
      ['bar', 'bar', 'pressure'],
      ['mbar', 'mbar', 'pressure vacuum'],
      ['psi', 'psi', 'pressure'],
      ['kpa', 'kPa', 'pressure vacuum'],
      ['mpa', 'MPa', 'pressure'],
      ['hpa', 'hPa', 'pressure'],
      ['inhg', 'inHg', 'vacuum pressure'],
      ['inh2o', 'inH2O', 'pressure'],
      ['rpm', 'rpm', 'speed'],
      ['fpm', 'ft/min', 'velocity'],
      ['mms', 'mm/s', 'vibration velocity'],
      ['mmmin', 'mm/min', 'velocity'],
      ['ips', 'in/s', 'vibration'],
      ['nm', 'Nm', 'torque'],
      ['kn', 'kN', 'force'],
      ['n', 'N', 'tension force'],
      ['a', 'A', 'current'],
      ['v', 'V', 'voltage'],
      ['kw', 'kW', 'power'],
      ['kwh', 'kWh', 'energy'],
      ['hz', 'Hz', 'frequency'],
      ['m3h', 'm3/h', 'flow'],
      ['nm3h', 'Nm3/h', 'flow'],
      ['lmin', 'l/min', 'flow'],
      ['nlmin', 'Nl/min', 'flow'],
      ['gpm', 'gal/min', 'flow'],
      ['pct percent prozent', '%', 'level load humidity valve_position'],
      ['kg', 'kg', 'weight'],
      ['g', 'g', 'weight'],
      ['lbs lb', 'lb', 'weight'],
      ['mm', 'mm', 'position thickness'],
      ['um', 'um', 'thickness'],
      ['deg', 'deg', 'angle'],
      ['s sec', 's', 'cycle_time ideal_cycle_seconds'],
      ['h std', 'h', 'operating_hours'],
      ['us', 'uS/cm', 'conductivity'],
    ] as const
  ).flatMap(([labels, unit, quantities]) =>
    labels.split(' ').map((label) => [label, { unit, quantities: quantities.split(' ') as Quantity[] }] as const),
  ),
)

/** The default unit of a metric, where the tag names none. */
export const USUAL_UNIT: Record<string, string> = {
  temperature: 'celsius',
  pressure: 'bar',
  vacuum: 'mbar',
  vibration: 'mm/s',
  speed: 'rpm',
  velocity: 'mm/s',
  torque: 'Nm',
  current: 'A',
  voltage: 'V',
  power: 'kW',
  energy: 'kWh',
  power_factor: 'ratio',
  frequency: 'Hz',
  flow: 'l/min',
  level: '%',
  humidity: '%',
  weight: 'kg',
  force: 'kN',
  position: 'mm',
  angle: 'deg',
  cycle_time: 's',
  ideal_cycle_seconds: 's',
  total_count: 'count',
  good_count: 'count',
  reject_count: 'count',
  operating_hours: 'h',
  load: '%',
  valve_position: '%',
  ph: 'pH',
  conductivity: 'uS/cm',
  tension: 'N',
  thickness: 'mm',
  running: 'bool',
  fault_code: 'code',
}
