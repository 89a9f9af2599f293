// How far a sweep is, and how long it takes still.
import type { Sweep } from '../api/types'
import { count } from '../format/number'
import { roughSpan, time } from '../format/time'
import { Meter } from '../ui/controls'
import { type Counts, isSilent, paceOf } from './model'
import { KindState } from './reading'
import css from './sweeps.module.css'

const SHOWN = ['done', 'partial', 'failed', 'missing', 'not_sent', 'falls_out'] as const

function stateWords({ state, changed, has_plan }: Sweep, last: number | null, silent: boolean) {
  if (!has_plan) return ''
  if (state === 'running') return silent ? `it told nothing since ${time(new Date(Math.max(last ?? 0, changed === null ? 0 : Date.parse(changed))).toISOString())} UTC, and no end` : 'running'
  return state ?? ''
}

export function Pace({ sweep, counts }: { sweep: Sweep; counts: Counts }) {
  const pace = paceOf(sweep.runs)
  const silent = isSilent(pace, sweep.changed, Date.now())
  const total = counts.done + counts.partial + counts.failed + counts.missing + counts.not_sent
  const over = total - counts.missing
  const isRunning = sweep.state === 'running' && !silent
  const share = (part: number) => (total ? part / total : 0)
  return (
    <section className={css.pace} aria-label="Progress">
      <Meter label={`${over} of ${total} runs are over`} done={over} total={total} parts={[{ share: share(counts.done), colour: 'trusted' }, { share: share(counts.partial), colour: 'degraded' }, { share: share(counts.failed), colour: 'limited' }, { share: share(counts.not_sent), colour: 'line-3' }]} />
      <p role="status">
        <b><span className="n">{count(over)}</span> of <span className="n">{count(total)}</span> runs are over</b>
        {stateWords(sweep, pace.last, silent) && <span>{stateWords(sweep, pace.last, silent)}</span>}
        {isRunning && counts.missing > 0 && pace.everyMs !== null && <span>about {roughSpan((counts.missing * pace.everyMs) / 1000)} left</span>}
        {pace.last !== null && <span>the last one ended <span className="n">{time(new Date(pace.last).toISOString(), true)}</span> UTC</span>}
      </p>
      <p className={css.kinds}>{SHOWN.filter((kind) => counts[kind] > 0).map((kind) => <span key={kind}><KindState kind={kind} /> <span className="n">{count(counts[kind])}</span></span>)}</p>
    </section>
  )
}
