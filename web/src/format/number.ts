// Numbers as they are read: one unit and one number of decimals a column, so that right alignment is
// alignment on the decimal point. Parameters stand as they were written: they get pasted.
import type { Field } from '../api/types'

export interface Form {
  unit: string // '' where there is none
  scale: number
  decimals: number | null // null: as written
}

const MS_AS_S_FROM = 10_000
const MOST_DECIMALS = 8
export const PLAIN: Form = { unit: '', scale: 1, decimals: null } // as it was written
const ARROW = { lower: '↓', higher: '↑', neither: '' } as const
const NO_UNITS = new Set(['', 'count', 'yes'])

export const arrow = (field: Field) => ARROW[field.direction]
export const isNumeric = (field: Field) => field.type === 'number' || field.type === 'count'
export const isParameter = (field: Field) => field.role === 'input' && /^(server|benchmark|experiment)\./.test(field.id)

// Of a number as it is stored, whatever it is shown in.
export const ownUnit = ({ unit }: Field) => (NO_UNITS.has(unit) ? '' : unit)

function median(values: number[]) {
  // an array of numbers alone is put in order without a call for each two
  const sorted = Float64Array.from(values, Math.abs).filter(Number.isFinite).sort()
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

// so that the median shows three or four significant digits
function decimalsFor(values: number[], scale: number) {
  if (values.every((value) => Number.isInteger(value * scale))) return 0
  const middle = median(values) * scale
  if (middle === 0) return 2
  const digits = Math.floor(Math.log10(middle)) + 1
  return Math.min(8, Math.max(0, (digits > 0 ? 4 : 3) - digits))
}

function unitFor(unit: string, middle: number): [string, number] {
  if (NO_UNITS.has(unit)) return ['', 1]
  if (unit === 'share') return ['%', 100]
  if (unit === 'ms' && middle >= MS_AS_S_FROM) return ['s', 1e-3]
  if (unit === 'B' && middle >= 1e9) return ['GB', 1e-9]
  if (unit === 'B' && middle >= 1e6) return ['MB', 1e-6]
  return [unit, 1]
}

// The unit is that of most values, or of `most` where that is given.
export function formFor(field: Field, values: unknown[], most?: number): Form {
  if (isParameter(field)) return { unit: ownUnit(field), scale: 1, decimals: null }
  const numbers = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value))
  const [unit, scale] = unitFor(field.unit, most ?? median(numbers))
  return { unit, scale, decimals: decimalsFor(numbers, scale) }
}

// One form for values beside each other: one unit, and as many decimals as tell them apart.
export function formOfRow(field: Field, values: unknown[]): Form {
  if (!isNumeric(field)) return PLAIN
  const numbers = [...new Set(values.filter((value) => typeof value === 'number'))]
  const form = formFor(field, numbers)
  const isAlike = () => new Set(numbers.map((value) => showNumber(value, form))).size < numbers.length
  while (form.decimals !== null && form.decimals < MOST_DECIMALS && isAlike()) form.decimals += 1
  return form
}

const formats = new Map<number, Intl.NumberFormat>()
function fixed(value: number, decimals: number) {
  let format = formats.get(decimals)
  if (!format) {
    format = new Intl.NumberFormat('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    formats.set(decimals, format)
  }
  return format.format(value).replace('-', '−')
}

export const count = (value: number) => fixed(value, 0)

export function showNumber(value: number, form: Form) {
  return form.decimals === null ? String(value) : fixed(value * form.scale, form.decimals)
}

export const COMMA_WORDS = 'A comma parts thousands (1,500); decimals take a point (150.5).'
const GROUPED = /^[-+−]?\d{1,3}(,\d{3})+(?![\d,])[^,]*$/

// What was typed: null for nothing, NaN for what is no number. A comma stands between thousands and
// nowhere else: dropped wherever it is, it would make 1505 of 150,5.
export function readNumber(text: string): number | null {
  const typed = text.trim()
  if (typed === '') return null
  if (typed.includes(',') && !GROUPED.test(typed)) return NaN
  const plain = typed.replaceAll(',', '').replace('−', '-')
  if (/^[-+]?inf$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN
}

export function bytes(size: number) {
  if (size >= 1e6) return `${fixed(size / 1e6, 1)} MB`
  return size >= 1000 ? `${fixed(size / 1e3, 0)} KB` : `${size} B`
}
