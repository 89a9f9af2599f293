// A choice in words, for a chip.
import type { Facet, Field, Scalar } from '../api/types'
import { arrow, boundText, formFor, formOfRow, isNumeric, PLAIN, showNumber } from '../format/number'
import { brieflyAll, nullWord, showValue } from '../format/value'
import type { Choice } from './model'

const VALUES_IN_WORDS = 3
const MISSING = 'not recorded'

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

function relativeWords(value: unknown) {
  const found = typeof value === 'string' ? RELATIVE.exec(value) : null
  if (!found) return null
  const [whole, n] = found
  if (!n) return whole
  return `${n} ${unitWords(found)} before ${whole.split('-')[0] ?? ''}`
}

const isInfinite = (value: Scalar) => value === 'inf' || value === '-inf'
const unitOf = (field: Field, values: readonly (Scalar | null)[]) =>
  isNumeric(field) && values.some((value) => typeof value === 'number') ? formFor(field, []).unit : ''

// A number as the user would type it, in the unit of the field.
function plain(field: Field, value: Scalar) {
  if (typeof value === 'number') return boundText(value, formFor(field, []))
  return (
    relativeWords(value) ?? (isNumeric(field) && isInfinite(value) ? String(value) : showValue(field, value, PLAIN))
  )
}

// One value with its unit.
export const valueWords = (field: Field, value: Scalar) => withUnit(plain(field, value), unitOf(field, [value]))

// Chosen values of a list, in short as the list shows them.
function listWords(field: Field, values: Scalar[]) {
  const form = formOfRow(field, values)
  return brieflyAll(
    field,
    values.map((value) =>
      typeof value === 'number'
        ? withUnit(showNumber(value, form), form.decimals === null ? '' : form.unit)
        : plain(field, value),
    ),
  )
}

function rangeWords(field: Field, [low, high]: [Scalar | null, Scalar | null]) {
  const unit = unitOf(field, [low, high])
  const since = high === null && typeof low === 'string' ? /^now-(\d+)([mhdw])$/.exec(low) : null
  if (since) return since[1] === '1' ? `the last ${unitWords(since)}` : `the last ${since[1] ?? ''} ${unitWords(since)}`
  if (low !== null && high !== null) return withUnit(`${plain(field, low)} – ${plain(field, high)}`, unit)
  return low !== null ? withUnit(`≥ ${plain(field, low)}`, unit) : withUnit(`≤ ${plain(field, high as Scalar)}`, unit)
}

function joined(words: string[], isExcept: boolean) {
  if (!isExcept) return words.join(' or ')
  if (words.length === 1 && words[0] === MISSING) return 'recorded'
  return words.length === 1
    ? `not ${words[0] ?? ''}`
    : `neither ${words.slice(0, -1).join(', ')} nor ${words.at(-1) ?? ''}`
}

export function choiceWords(field: Field, choice: Choice, facet?: Facet): string {
  const words: string[] = []
  const { values = [], range } = choice
  if (values.length > VALUES_IN_WORDS)
    words.push(
      typeof facet?.distinct === 'number' ? `${values.length} of ${facet.distinct}` : `${values.length} values`,
    )
  else {
    const texts = listWords(field, values)
    words.push(...(choice.except ? texts : texts.length ? [texts.join(', ')] : []))
  }
  if (range && (range[0] !== null || range[1] !== null)) words.push(rangeWords(field, range))
  if (choice.contains) words.push(`contains “${choice.contains}”`)
  if (choice.present) words.push('any value')
  if (choice.unset) words.push(nullWord(field, MISSING))
  if (choice.missing) words.push(MISSING)
  return joined([...new Set(words)], choice.except === true)
}

export const directionWords = (field: Field) =>
  arrow(field) === '↓' ? 'lower is better' : arrow(field) === '↑' ? 'higher is better' : ''
