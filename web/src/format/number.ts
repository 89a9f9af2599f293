// Numbers as text. A shown number has at most four significant digits and as many decimals as its column: tables pad
// shorter ones (ui/figure.tsx), so decimal points align. Parameters are shown as written, because they get pasted;
// counts are exact.
import type { Field } from '../api/types'
import { isParameter, unitOf } from './unit'

export interface Form {
  unit: string // '' if there is none
  scale: number // from a stored to a shown value
  decimals: number | null // of the column; null: as written
  digits: number // the most significant digits of a number; Infinity: exact
}

const DIGITS = 4
const MOST_DECIMALS = 8
export const PLAIN: Form = { unit: '', scale: 1, decimals: null, digits: Infinity } // as written
export const COUNTS: Form = { unit: '', scale: 1, decimals: 0, digits: Infinity }
const ARROW = { lower: '↓', higher: '↑', neither: '' } as const

export const arrow = (field: Field) => ARROW[field.direction]
export const isNumeric = (field: Field) => field.type === 'number' || field.type === 'count'

function median(values: number[]) {
  // a typed array sorts without one call per comparison
  const sizes = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) sizes[i] = Math.abs(values[i] as number)
  return sizes.sort()[Math.floor(sizes.length / 2)] ?? 0
}

const rounded = (value: number, digits: number) => (Number.isFinite(digits) ? Number(value.toPrecision(digits)) : value)
// digits before the point
const lengthOf = (value: number) => (value === 0 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1)

// The decimals of one number in its column; below 0 the last digits before the point are rounded, too.
function placesOf(shown: number, decimals: number, digits: number) {
  return Math.min(decimals, digits - lengthOf(rounded(shown, digits)))
}

// The decimals that show three or four significant digits of the median, without those that are zero in all values.
function decimalsFor(shown: number[], digits: number) {
  if (shown.every(Number.isInteger)) return 0
  const length = lengthOf(median(shown))
  let decimals = Math.min(MOST_DECIMALS, Math.max(0, (length > 0 ? 4 : 3) - length))
  const endsInZero = (value: number) => {
    const places = placesOf(value, decimals, digits)
    return places < decimals || /[.]\d*0$/.test(value.toFixed(places))
  }
  while (decimals > 0 && shown.every(endsInZero)) decimals -= 1
  return decimals
}

const numbersOf = (values: unknown[]) =>
  values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value))

function formOf([unit, scale]: [string, number], numbers: number[], isExact: boolean): Form {
  const digits = isExact ? Infinity : DIGITS
  return {
    unit,
    scale,
    digits,
    decimals: decimalsFor(
      numbers.map((value) => value * scale),
      digits,
    ),
  }
}

// The form of a column of values.
export function formFor(field: Field, values: unknown[]): Form {
  return isParameter(field) ? { ...PLAIN, unit: unitOf(field)[0] } : formOfScale(field, values)
}

// The form of an axis and of a histogram: its numbers are round, so those of a parameter are numbers like others.
export function formOfScale(field: Field, values: unknown[]): Form {
  const unit = unitOf(field)
  return formOf(unit, numbersOf(values), field.type === 'count' && unit[1] === 1)
}

// The form of values that belong to no listed field.
export const formOfUnit = (unit: string, values: unknown[]) =>
  formFor(
    {
      id: '',
      label: '',
      help: '',
      group: '',
      unit,
      type: 'number',
      direction: 'neither',
      role: 'output',
      aggregation: 'none',
      column: false,
      words: false,
    },
    values,
  )

// One form for values next to each other, with as many digits as tell them apart.
export function formOfRow(field: Field, values: unknown[]): Form {
  if (!isNumeric(field)) return PLAIN
  const numbers = [...new Set(numbersOf(values))]
  const form = formFor(field, numbers)
  const isAlike = () => new Set(numbers.map((value) => showNumber(value, form))).size < numbers.length
  while (form.decimals !== null && form.decimals < MOST_DECIMALS && isAlike()) {
    form.decimals += 1
    form.digits += 1
  }
  return form
}

// toLocaleString() would create a formatter per number
const shortest = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 12 })
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

export function showNumber(value: number, { scale, decimals, digits }: Form) {
  if (decimals === null) return String(value)
  const shown = value * scale
  return fixed(rounded(shown, digits), Math.max(0, placesOf(shown, decimals, digits)))
}

// How many characters a number lacks on the right to align with the decimal points of its column.
export function paddingOf(value: number, { scale, decimals, digits }: Form) {
  if (!decimals) return 0
  const places = Math.max(0, placesOf(value * scale, decimals, digits))
  return decimals - places + (places === 0 ? 1 : 0)
}

// The shortest text of a round number, such as the edge of a range or a tick.
export function plainNumber(value: number, { scale, decimals, digits }: Form) {
  if (decimals === null) return String(value)
  return shortest.format(rounded(value * scale, Math.min(digits, 15))).replace('-', '−')
}

const MULTIPLES: [from: number, letter: string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
]

// From a million on with a letter, or from a thousand on: 20k.
export function shortNumber(value: number, form: Form, isFromThousand = false) {
  const size = Math.abs(value * form.scale)
  const [step, letter] = MULTIPLES.find(([from]) => size >= from && size < 1e15 && (isFromThousand || from > 1e3)) ?? [
    1,
    '',
  ]
  return step === 1 ? plainNumber(value, form) : `${plainNumber(value / step, { ...form, digits: DIGITS })}${letter}`
}

// A bound as the user would type it: with all its digits, in the displayed unit.
export function boundText(value: number, { scale, decimals }: Form) {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return decimals === null ? String(value) : shortest.format(rounded(value * scale, 12)).replace('-', '−')
}

export function bytes(size: number) {
  if (size >= 1e6) return `${fixed(size / 1e6, 1)} MB`
  return size >= 1000 ? `${fixed(size / 1e3, 0)} KB` : `${size} B`
}
