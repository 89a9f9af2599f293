// A range of days, in UTC as all times here; the usual ones by a press: these go on with the clock of the server.
import type { Facet, Scalar } from '../api/types'
import { longName } from '../fields/catalogue'
import type { Choice } from '../filter/model'
import { Act, Field as TextField } from '../ui/controls'
import { useDraft } from '../ui/use-draft'
import type { FacetProps } from './facet'
import css from './filter-panel.module.css'

const LAST: [string, string][] = [['24 h', 'now-24h'], ['7 days', 'now-7d'], ['30 days', 'now-30d'], ['90 days', 'now-90d']]
const START_OF_DAY = 'T00:00:00Z'
const END_OF_DAY = 'T23:59:59.999Z'

type Days = [from: string, to: string] // '' is no end

const day = (end: unknown) => (typeof end === 'string' && /^\d{4}-\d\d-\d\d/.test(end) ? end.slice(0, 10) : '')

export function DateRange({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const name = longName(field)
  const range = choice?.range
  const choose = (low: string | null, high: string | null, options?: { typing: string }) => {
    const rest: Choice = { ...choice }
    delete rest.range
    onChoose(low === null && high === null ? rest : { ...rest, range: [low, high] }, options)
  }
  // an end that was not typed keeps its time of day
  const end = (typed: string, old: Scalar | null | undefined, time: string) => (typed === day(old) && old ? String(old) : typed ? typed + time : null)
  const commit = ([from, to]: Days) => choose(end(from, range?.[0], START_OF_DAY), end(to, range?.[1], END_OF_DAY), { typing: field.id })
  const [[from, to], write] = useDraft<Days>([day(range?.[0]), day(range?.[1])], commit)
  const ends = { min: day(facet.min), max: day(facet.max) }
  return (
    <div className={css.range}>
      <div className={css.inputs}>
        <TextField type="date" label={`${name}, from`} value={from} {...ends} onChange={(event) => write([event.target.value, to])} />
        –
        <TextField type="date" label={`${name}, to`} value={to} {...ends} onChange={(event) => write([from, event.target.value])} />
      </div>
      <div className={css.more}>
        last
        {LAST.map(([words, since]) => {
          const isChosen = range?.[0] === since && range[1] === null
          return <Act key={since} aria-pressed={isChosen} aria-label={`${name}, last ${words}`} onPress={() => choose(isChosen ? null : since, null)}>{words}</Act>
        })}
      </div>
    </div>
  )
}
