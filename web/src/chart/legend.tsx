// What colours and shapes stand for, with how many there are of each, in the order of the values.
import { count } from '../format/number'
import css from './chart.module.css'
import type { Chart } from './items'
import { unitOf } from './items'
import { type Legend as Entry, legendOf, OTHER } from './kinds'
import { shapeOf } from './shapes'

export function Swatch({ slot, isHollow = false }: { slot: number; isHollow?: boolean }) {
  const colour = slot === OTHER ? 'var(--line-3)' : `var(--s${slot + 1})`
  return (
    <svg viewBox="-6 -6 12 12" aria-hidden="true">
      <path d={shapeOf(slot)} fill={isHollow ? 'var(--sheet)' : colour} stroke={colour} strokeWidth={isHollow ? 1.6 : 0.5} />
    </svg>
  )
}

const MANY = 60

export function Legend({ chart }: { chart: Chart }) {
  const { y, answer, colours } = chart
  const entries: Entry[] = colours ? legendOf(colours.field, colours.kinds) : []
  const hollow = answer.marks ? chart.items.filter(({ isHollow }) => isHollow).length : 0
  return (
    <div className={css.legend}>
      <span className={css.ytitle}>
        <span aria-hidden="true">↑ </span>{y ? y.name : 'Experiments'} <span className="dim">{y ? unitOf(y) : ''}</span>
      </span>
      <div className={css.entries} role="group" aria-label="Legend">
        {entries.slice(0, MANY).map((entry) => (
          <span key={entry.kinds[0]} className={css.entry}>
            <Swatch slot={entry.slot} />
            <span className="clip" title={entry.words}><bdi>{entry.words}</bdi></span>
            <span className="n-11 dim">{count(entry.count)}</span>
          </span>
        ))}
        {hollow > 0 && <span className={css.entry}><Swatch slot={1} isHollow />hollow: not trusted {answer.form !== 'thinned' && <span className="n-11 dim">{count(hollow)}</span>}</span>}
        {answer.frontier?.some(({ marks }) => marks.length > 1) && (
          <span className={css.entry}>
            <svg viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-6-3H0V3H6" fill="none" stroke="currentColor" strokeWidth="1.5" /></svg>frontier
          </span>
        )}
      </div>
    </div>
  )
}
