// The unit of a field. It follows from the field alone, so filters, chips, axes, tables and charts agree whatever the
// values are.
import type { Field } from '../api/types'

const NO_UNITS = new Set(['', 'count', 'yes'])
const LATENCY_IN_S = /^results\.(avg_latency$|percentiles\.)/ // vLLM records these in seconds
const IN_MB = /^system\.(client|host\.network|gpus\.(pcie|nvlink))/ // the other bytes are in GB

export const isParameter = (field: Field) => field.role === 'input' && /^(server|benchmark|experiment)\./.test(field.id)

// The unit of a field with a cost names no currency: the stored prices may have one.
export const withCurrency = (unit: string, currency: string) =>
  /^currency\b/.test(unit) ? (currency ? unit.replace('currency', currency) : '') : unit

// The unit of stored values, '' if there is none.
export const storedUnit = ({ unit }: Pick<Field, 'unit'>) => (NO_UNITS.has(unit) ? '' : unit)

// The unit of shown values, and the factor from a stored to a shown value. Parameters keep the unit in which they are
// written.
export function unitOf(field: Field): [unit: string, scale: number] {
  const unit = storedUnit(field)
  if (isParameter(field)) return [unit, 1]
  if (unit === 'share') return ['%', 100]
  if (unit === 'B') return IN_MB.test(field.id) ? ['MB', 1e-6] : ['GB', 1e-9]
  return LATENCY_IN_S.test(field.id) ? ['ms', 1e3] : [unit, 1]
}

// The lower end of an interval of the field: times, sizes, rates and counts have none below zero, whatever the
// statistics say.
export function lowEnd({ id, unit }: Pick<Field, 'id' | 'unit'>, low: number) {
  const canBeNegative = storedUnit({ unit }) === '' || unit === '°C' || /lateness|offset|drift|lag/.test(id)
  return canBeNegative ? low : Math.max(0, low)
}

// Factors to the first unit of each dimension, by lowercase names.
const TIMES: Record<string, number> = {
  s: 1,
  sec: 1,
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  min: 60,
  h: 3600,
  d: 86_400,
}
const SIZES: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}
const SHARES: Record<string, number> = { share: 1, '%': 0.01 }
const DIMENSIONS = [
  { factors: TIMES, names: 'us, ms, s, min or h' },
  { factors: SIZES, names: 'B, KB, MB, GB, KiB, MiB or GiB' },
  { factors: SHARES, names: '%' },
]
const MULTIPLES: Record<string, number> = { k: 1e3, M: 1e6 } // "2k"

// The factor from a typed unit to stored values of the field; null if the field does not have this unit.
export function factorOf(field: Field, typed: string): number | null {
  const [shown, scale] = unitOf(field)
  if (typed === '') return 1 / scale
  const name = typed.toLowerCase()
  const dimension = DIMENSIONS.find(({ factors }) => shown.toLowerCase() in factors)?.factors
  const factor = dimension?.[name]
  if (dimension && factor !== undefined) return factor / ((dimension[shown.toLowerCase()] ?? 1) * scale)
  const multiple = dimension === SIZES ? undefined : MULTIPLES[typed]
  return multiple === undefined ? (name === shown.toLowerCase() ? 1 / scale : null) : multiple / scale
}

// The units that a field accepts, for the message about another one.
export function acceptedUnits(field: Field) {
  const [shown] = unitOf(field)
  return DIMENSIONS.find(({ factors }) => shown.toLowerCase() in factors)?.names ?? shown
}
