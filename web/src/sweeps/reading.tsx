// The reading: the selected cell in full, and links to its runs.
import { Link } from 'wouter'

import type { SweepRun } from '../api/types'
import { type Form, showNumber } from '../format/number'
import { time } from '../format/time'
import { Simulated, State, Verdict } from '../ui/verdict'
import { paths } from '../url/paths'
import { type Cell, KIND_WORDS, kindOf, shortKey, valueWords } from './model'
import css from './sweeps.module.css'

const SHAPES = {
  done: 'passed',
  partial: 'over_limit',
  running: 'reading',
  failed: 'failed',
  queued: 'queued',
  missing: 'queued',
  not_uploaded: 'queued',
  skipped: 'unknown',
} as const
export const KindState = ({
  kind,
  word = KIND_WORDS[kind],
  part,
}: {
  kind: keyof typeof SHAPES
  word?: string
  part?: string | undefined
}) => <State state={SHAPES[kind]} word={word} part={part} />

function RunOf({ run, metric, form, isOne }: { run: SweepRun; metric: string; form: Form; isOne: boolean }) {
  const value = run.values[metric]
  return (
    <li>
      <span>
        {!isOne && <span className="dim">run {run.repeat ?? 1} </span>}
        <KindState kind={kindOf(run)} word={run.status?.replaceAll('_', ' ') ?? 'no status'} />
      </span>
      {typeof value === 'number' && !isOne && (
        <span className="n">
          {showNumber(value, form)} {form.unit}
        </span>
      )}
      {run.verdict !== null && <Verdict verdict={run.verdict} />}
      {run.cause !== null && <b>{run.cause.replaceAll('_', ' ')}</b>}
      {run.message !== null && <p className="mid">{run.message}</p>}
      {run.timestamp !== null && <span className="dim">started {time(run.timestamp, true)} UTC</span>}
      {run.experiment !== null && <Link href={paths.experiment(run.experiment)}>Open experiment</Link>}
    </li>
  )
}

export function Reading({
  cell,
  metric,
  name,
  form,
  keys,
}: {
  cell: Cell | undefined
  metric: string
  name: string
  form: Form
  keys: string[]
}) {
  return (
    <aside className={css.reading} aria-label="Reading">
      {!cell ? (
        <p className="dim">Select a cell or a point to see its runs.</p>
      ) : (
        <>
          <h2>{cell.runs.length > 1 ? 'Selected runs' : 'Selected run'}</h2>
          <dl>
            {Object.entries(cell.point).map(([key, value]) => (
              <div key={key}>
                <dt>{shortKey(key, keys)}</dt>
                <dd>{valueWords(value)}</dd>
              </div>
            ))}
            {cell.set !== null && (
              <div>
                <dt>set</dt>
                <dd>{cell.set}</dd>
              </div>
            )}
          </dl>
          <p className={css.figure}>
            <span className="dim">
              {name}
              {cell.n > 1 && `, mean of ${cell.n} runs`}
            </span>
            {cell.value === null ? (
              <KindState kind={cell.kind} word={cell.kind === 'done' ? 'not recorded' : KIND_WORDS[cell.kind]} />
            ) : (
              <span className={css.value}>
                <span className="n">{showNumber(cell.value, form)}</span> {form.unit}
              </span>
            )}
            {cell.runs.some(({ simulated }) => simulated) && <Simulated />}
          </p>
          <ul>
            {cell.runs.map((run) => (
              <RunOf key={run.run} run={run} metric={metric} form={form} isOne={cell.runs.length === 1} />
            ))}
          </ul>
        </>
      )}
    </aside>
  )
}
