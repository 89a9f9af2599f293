// The distinct values of a field, in words and in colors. A value keeps its color under every filter and after later
// uploads: its rank is the order in which results first had it. If two values have the same color, the later one takes
// a free one.
import type { Field, Kind } from '../api/types'
import { type Form, formOfRow, plainNumber } from '../format/number'
import { briefly, NOT_RECORDED, nullWord, showValue } from '../format/value'

export const SERIES = 8
export const OTHER = -1 // gray: no color was free, or the value is missing
export const RAMP = 100 // slots from here on are steps from little to much
export const RAMP_STEPS = 7

const MISSING = 'not recorded'
const NULL = 'recorded as null' // next to MISSING, for a field that no user sets

const isValue = (kind: Kind) => kind.state === 'value' || kind.state === 'range'

function kindWords(field: Field, kind: Kind, form: Form): string {
  if (kind.state === 'null') return nullWord(field, MISSING)
  if (kind.state === 'missing') return MISSING
  if (kind.state === 'other') return 'other'
  if (kind.state === 'range') return `${plainNumber(kind.low ?? 0, form)} – ${plainNumber(kind.high ?? 0, form)}`
  return typeof kind.value === 'number'
    ? plainNumber(kind.value, form)
    : briefly(field, showValue(field, kind.value, form))
}

function formOfKinds(field: Field, kinds: Kind[]) {
  return formOfRow(
    field,
    kinds.flatMap((kind) => [kind.value, kind.low, kind.high]),
  )
}

// Uses short forms, unless several values have the same one.
export function kindsInWords(field: Field, kinds: Kind[]) {
  const form = formOfKinds(field, kinds)
  const isMissing = kinds.some(({ state }) => state === 'missing')
  const words = kinds.map((kind) => {
    const text = kindWords(field, kind, form)
    return kind.state === 'null' && text === MISSING && isMissing ? NULL : text
  })
  return words.map((text, i) =>
    words.indexOf(text) === words.lastIndexOf(text) || typeof kinds[i]?.value !== 'string'
      ? text
      : String(kinds[i].value),
  )
}

// A color's place for each kind. Ranges take theirs in order, for their order says something.
export function slotsOf(kinds: Kind[], isRamp = false): number[] {
  const slots = kinds.map(() => OTHER)
  const ranges = kinds.filter(({ state }) => state === 'range').length
  if (isRamp && ranges > 1) {
    let at = 0
    return kinds.map(({ state }) =>
      state === 'range' ? RAMP + Math.round((at++ * (RAMP_STEPS - 1)) / (ranges - 1)) : OTHER,
    )
  }
  const values = kinds.map((kind, at) => ({ kind, at })).filter(({ kind }) => isValue(kind))
  const room = values.length <= SERIES ? SERIES : SERIES - 1
  const byCount = values.toSorted((a, b) => b.kind.count - a.kind.count || a.at - b.at).slice(0, room)
  const taken = new Set<number>()
  for (const { kind, at } of byCount.toSorted((a, b) => (a.kind.rank ?? a.at) - (b.kind.rank ?? b.at) || a.at - b.at)) {
    let slot = (kind.rank ?? at) % SERIES
    while (taken.has(slot)) slot = (slot + 1) % SERIES
    slots[at] = slot
    taken.add(slot)
  }
  return slots
}

export interface Legend {
  slot: number
  words: string
  count: number
  kinds: number[]
}

// Values without a color share one entry.
export function legendOf(field: Field, kinds: Kind[], slots = slotsOf(kinds)): Legend[] {
  const words = kindsInWords(field, kinds)
  const own: Legend[] = []
  const rest: Legend = { slot: OTHER, words: '', count: 0, kinds: [] }
  kinds.forEach((kind, at) => {
    const slot = slots[at] ?? OTHER
    if (slot !== OTHER) own.push({ slot, words: words[at] ?? NOT_RECORDED, count: kind.count, kinds: [at] })
    else {
      rest.words = rest.kinds.length ? 'other' : (words[at] ?? '')
      rest.count += kind.count
      rest.kinds.push(at)
    }
  })
  // "other" would name values where no value is
  const states = new Set(rest.kinds.map((at) => kinds[at]?.state))
  if (rest.kinds.length > 1 && [...states].every((state) => state === 'missing' || state === 'null'))
    rest.words = [...new Set(rest.kinds.map((at) => (words[at] === NULL ? MISSING : (words[at] ?? ''))))].join(' or ')
  return rest.kinds.length ? [...own, rest] : own
}
