// A range of moments, typed in ISO form and in UTC, as all times are shown; the usual ranges are one press and move
// with the clock of the server.
import { useId, useState } from 'react'

import type { Facet, Scalar } from '../api/types'
import { longName } from '../fields/catalogue'
import type { Choice } from '../filter/model'
import { readTime, time } from '../format/time'
import { Act, Field as TextField } from '../ui/controls'
import { useDraft } from '../ui/use-draft'
import type { FacetProps } from './facet'
import css from './filter-panel.module.css'

const LAST: [string, string][] = [
  ['24 h', 'now-24h'],
  ['7 days', 'now-7d'],
  ['30 days', 'now-30d'],
  ['90 days', 'now-90d'],
]
const DAY = /^\d{4}-\d\d-\d\d$/
const START_OF_DAY = 'T00:00:00Z'
const END_OF_DAY = 'T23:59:59.999Z'

type Texts = [from: string, to: string] // '': no bound

// A whole day by its date alone.
export function momentText(bound: Scalar | null | undefined, at: 0 | 1) {
  if (typeof bound !== 'string') return ''
  if (!/^\d{4}/.test(bound)) return bound
  return bound.endsWith(at === 0 ? START_OF_DAY : END_OF_DAY)
    ? bound.slice(0, 10)
    : time(bound, !/T\d\d:\d\d(:00(\.0+)?)?(Z|$)/.test(bound))
}

// A typed bound; a date without a time includes the whole day.
export function readMoment(text: string, at: 0 | 1): { value: string | null } | { fault: string } {
  const typed = text.trim()
  if (typed === '') return { value: null }
  const read = readTime(typed)
  return at === 1 && DAY.test(typed) && 'value' in read ? { value: typed + END_OF_DAY } : read
}

// Only the server compares relative times.
const isReversed = (from: string | null, to: string | null) =>
  from !== null && to !== null && Date.parse(from) > Date.parse(to)

export function DateRange({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const name = longName(field)
  const range = choice?.range
  const choose = (low: string | null, high: string | null, options?: { typing: string }) => {
    const { range: _, ...rest } = choice ?? {}
    onChoose(low === null && high === null ? rest : ({ ...rest, range: [low, high] } satisfies Choice), options)
  }
  const shown: Texts = [momentText(range?.[0], 0), momentText(range?.[1], 1)]
  // a bound that was not typed stays to the second
  const read = ([from, to]: Texts) =>
    ([from, to] as const).map((text, at) =>
      text === shown[at] ? { value: (range?.[at] ?? null) as string | null } : readMoment(text, at as 0 | 1),
    )
  const faultOf = (texts: Texts) => {
    const [from, to] = read(texts)
    if (from && 'fault' in from) return { at: 0, text: from.fault }
    if (to && 'fault' in to) return { at: 1, text: to.fault }
    return from && to && isReversed(from.value, to.value)
      ? { at: 2, text: `The range is reversed: ${texts[0]} is after ${texts[1]}.` }
      : null
  }
  const commit = (texts: Texts) => {
    const [from, to] = read(texts)
    if (from && to && 'value' in from && 'value' in to && !isReversed(from.value, to.value))
      choose(from.value, to.value, { typing: field.id })
  }
  const [texts, write, flush] = useDraft<Texts>(shown, commit)
  const [isTyping, setTyping] = useState(false)
  const why = useId()
  const fault = isTyping ? null : faultOf(texts)
  const done = () => {
    setTyping(false)
    flush()
  }
  const input = (at: 0 | 1) => (
    <TextField
      label={`${name}, ${at === 0 ? 'from' : 'to'}, UTC`}
      placeholder={momentText(at === 0 ? (facet.min as Scalar) : (facet.max as Scalar), at).slice(0, 10)}
      value={texts[at]}
      invalid={fault !== null && fault.at !== 1 - at}
      aria-describedby={fault ? why : undefined}
      onChange={(event) => {
        setTyping(true)
        write(at === 0 ? [event.target.value, texts[1]] : [texts[0], event.target.value])
      }}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done()
      }}
    />
  )
  return (
    <div className={css.range}>
      <div className={css.moments}>
        {input(0)}–{input(1)}
        {fault && (
          <span id={why} role="alert" className={css.why}>
            {fault.text}
          </span>
        )}
      </div>
      <div className={css.more}>
        last
        {LAST.map(([words, since]) => {
          const isChosen = range?.[0] === since && range[1] === null
          return (
            <Act
              key={since}
              aria-pressed={isChosen}
              aria-label={`${name}, last ${words}`}
              onPress={() => choose(isChosen ? null : since, null)}
            >
              {words}
            </Act>
          )
        })}
      </div>
    </div>
  )
}
