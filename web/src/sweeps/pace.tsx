// The progress of a sweep, and the time remaining. Without its plan the number of planned runs is unknown: no bar is
// drawn.
import type { Sweep } from '../api/types'
import { count } from '../format/number'
import { roughSpan, time } from '../format/time'
import { Meter } from '../ui/controls'
import { type Counts, type Kind, paceOf, stateWord } from './model'
import { KindState } from './reading'
import css from './sweeps.module.css'

// Their sum is the total.
const SHOWN = ['done', 'partial', 'failed', 'not_uploaded', 'running', 'queued', 'missing'] as const
const DRAWN = ['done', 'partial', 'failed', 'not_uploaded'] as const // parts of the bar
const PARTS: Partial<Record<Kind, string>> & Record<(typeof DRAWN)[number], string> = {
  done: 'trusted',
  partial: 'degraded',
  failed: 'limited',
  not_uploaded: 'line-3',
}

// The state of the sweep, unless the count says that all runs finished.
function stateWords(
  { state, changed_at: changed, has_plan }: Sweep,
  last: number | null,
  isRunning: boolean,
  remaining: number,
) {
  if (!has_plan || (state === 'ended' && remaining === 0)) return ''
  if (state === 'running')
    return isRunning
      ? 'sweep running'
      : `no report since ${time(new Date(Math.max(last ?? 0, changed === null ? 0 : Date.parse(changed))).toISOString())} UTC`
  return state === null ? '' : `sweep ${stateWord(state)}`
}

export function Pace({ sweep, counts, isRunning }: { sweep: Sweep; counts: Counts; isRunning: boolean }) {
  const pace = paceOf(sweep.runs)
  const over = counts.done + counts.partial + counts.failed + counts.not_uploaded
  const remaining = counts.running + counts.queued + counts.missing
  const total = over + remaining
  const share = (part: number) => (total ? part / total : 0)
  return (
    <section className={css.pace} aria-label="Progress">
      {sweep.has_plan && (
        <Meter
          label={`${over} of ${total} runs finished`}
          done={over}
          total={total}
          parts={DRAWN.map((kind) => ({ share: share(counts[kind]), color: PARTS[kind] }))}
        />
      )}
      <p role="status">
        <b>
          <span className="n">{count(over)}</span>
          {sweep.has_plan && (
            <>
              {' '}
              of <span className="n">{count(total)}</span>
            </>
          )}{' '}
          {!sweep.has_plan && over === 1 ? 'run' : 'runs'} finished
        </b>
        {!sweep.has_plan && <span>number of planned runs unknown</span>}
        {stateWords(sweep, pace.last, isRunning, remaining) && (
          <span>{stateWords(sweep, pace.last, isRunning, remaining)}</span>
        )}
        {isRunning && remaining > 0 && pace.everyMs !== null && (
          <span>about {roughSpan((remaining * pace.everyMs) / 1000)} remaining</span>
        )}
        {pace.last !== null && (
          <span>
            latest result at <span className="n">{time(new Date(pace.last).toISOString(), true)}</span> UTC
          </span>
        )}
      </p>
      <p className={css.kinds}>
        <span>
          <span className="n">{count(total)}</span> {total === 1 ? 'run' : 'runs'}:
        </span>
        {SHOWN.filter((kind) => counts[kind] > 0).map((kind) => (
          <span key={kind}>
            <KindState kind={kind} part={sweep.has_plan ? PARTS[kind] : undefined} />{' '}
            <span className="n">{count(counts[kind])}</span>
          </span>
        ))}
        {counts.skipped > 0 && (
          <span className="dim">
            plus <span className="n">{count(counts.skipped)}</span> skipped{' '}
            {counts.skipped === 1 ? 'combination' : 'combinations'}
          </span>
        )}
      </p>
    </section>
  )
}
