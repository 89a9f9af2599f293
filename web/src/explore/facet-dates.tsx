// A range of days, in UTC as all times here; the usual ones by a press.
import type { Facet } from '../api/types'
import { longName } from '../fields/catalogue'
import type { Choice } from '../filter/model'
import { Act, Field as TextField } from '../ui/controls'
import type { FacetProps } from './facet'
import css from './filter-panel.module.css'

const DAY_MS = 86_400_000
const LAST: [string, number][] = [['24 h', 1], ['7 days', 7], ['30 days', 30]]
const END_OF_DAY = 'T23:59:59.999Z'

export function DateRange({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const name = longName(field)
  const [from, to] = [choice?.range?.[0] ?? null, choice?.range?.[1] ?? null]
  const choose = (low: unknown, high: unknown) => {
    const rest: Choice = { ...choice }
    delete rest.range
    const range: Choice['range'] = [low ? String(low) : null, high ? String(high) : null]
    onChoose(range[0] === null && range[1] === null ? rest : { ...rest, range })
  }
  const day = (end: unknown) => (typeof end === 'string' ? end.slice(0, 10) : '')
  const first = day(facet.min)
  const final = day(facet.max)
  return (
    <div className={css.range}>
      <div className={css.inputs}>
        <TextField type="date" label={`${name}, from`} value={day(from)} min={first} max={final} onChange={(event) => choose(event.target.value && `${event.target.value}T00:00:00Z`, to)} />
        –
        <TextField type="date" label={`${name}, to`} value={day(to)} min={first} max={final} onChange={(event) => choose(from, event.target.value && event.target.value + END_OF_DAY)} />
      </div>
      <div className={css.more}>
        last
        {LAST.map(([words, days]) => (
          <Act key={words} onPress={() => choose(`${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 19)}Z`, null)}>{words}</Act>
        ))}
      </div>
    </div>
  )
}
