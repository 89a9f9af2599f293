// A choice in words, as a chip says it.
import type { Facet, Field, Scalar } from '../api/types'
import { arrow, formFor, type Form } from '../format/number'
import { brieflyAll, showValue } from '../format/value'
import type { Choice } from './model'

const VALUES_IN_WORDS = 3
const MISSING = 'not recorded'

// Of a chip the unit stands behind the value, and numbers are those that were typed or clicked.
function formOf(field: Field): Form {
  const form = formFor(field, [])
  return { ...form, decimals: null, unit: form.unit === '%' ? '' : form.unit }
}

function withUnit(text: string, unit: string) {
  return unit ? `${text} ${unit}` : text
}

// "now-30d" and the like are read by the server, at the moment of the question.
const UNITS: Record<string, string> = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' }
const RELATIVE = /^(?:now|today)(?:-(\d+)([mhdw]))?$/

function unitWords([, n, unit = '']: RegExpExecArray) {
  const words = UNITS[unit] ?? ''
  return n === '1' ? words.slice(0, -1) : words
}

export function relativeWords(value: unknown) {
  const found = typeof value === 'string' ? RELATIVE.exec(value) : null
  if (!found) return null
  const [whole, n] = found
  if (!n) return whole
  return `${n} ${unitWords(found)} before ${whole.split('-')[0] ?? ''}`
}

function plain(field: Field, value: Scalar) {
  const relative = relativeWords(value)
  if (relative) return relative
  if (typeof value === 'number' && field.role !== 'input') return value.toLocaleString('en-GB', { maximumFractionDigits: 6 })
  return showValue(field, value, formOf(field))
}

// One value with its unit.
export function valueWords(field: Field, value: Scalar) {
  return withUnit(plain(field, value), typeof value === 'number' ? formOf(field).unit : '')
}

function rangeWords(field: Field, [low, high]: [Scalar | null, Scalar | null]) {
  const { unit } = formOf(field)
  const since = high === null && typeof low === 'string' ? /^now-(\d+)([mhdw])$/.exec(low) : null
  if (since) return since[1] === '1' ? `the last ${unitWords(since)}` : `the last ${since[1] ?? ''} ${unitWords(since)}`
  if (low !== null && high !== null) return withUnit(`${plain(field, low)} – ${plain(field, high)}`, unit)
  return low !== null ? withUnit(`≥ ${plain(field, low)}`, unit) : withUnit(`≤ ${plain(field, high as Scalar)}`, unit)
}

function joined(words: string[], isExcept: boolean) {
  if (!isExcept) return words.join(' or ')
  if (words.length === 1 && words[0] === MISSING) return 'recorded'
  return words.length === 1 ? `not ${words[0] ?? ''}` : `neither ${words.slice(0, -1).join(', ')} nor ${words.at(-1) ?? ''}`
}

export function choiceWords(field: Field, choice: Choice, facet?: Facet): string {
  const words: string[] = []
  const { values = [], range } = choice
  if (values.length > VALUES_IN_WORDS) words.push(typeof facet?.distinct === 'number' ? `${values.length} of ${facet.distinct}` : `${values.length} values`)
  else {
    const texts = brieflyAll(field, values.map((value) => plain(field, value)))
    words.push(...(choice.except ? texts : texts.length ? [texts.join(', ')] : []))
  }
  if (range && (range[0] !== null || range[1] !== null)) words.push(rangeWords(field, range))
  if (choice.contains) words.push(`contains “${choice.contains}”`)
  if (choice.present) words.push('any value')
  if (choice.unset) words.push('unset')
  if (choice.missing) words.push(MISSING)
  return joined(words, choice.except === true)
}

export const directionWords = (field: Field) => (arrow(field) === '↓' ? 'lower is better' : arrow(field) === '↑' ? 'higher is better' : '')
