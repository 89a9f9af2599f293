// The phases of a run, and its metrics so far.
import type { LiveRun } from '../api/types'
import { count } from '../format/number'
import { span } from '../format/time'
import { join } from '../ui/controls'
import css from './live.module.css'
import { phaseWord, progressText, rangeText, shareOf, shown, withUnit } from './model'

const ORDER = ['starting', 'warming_up', 'measuring', 'draining', 'profiling', 'stopping'] as const
const WIDE = 5 // of the current phase, next to 1 for the others
const MIN = 0.5

export function Phases({ snapshot: { phase, requests }, isReporting }: { snapshot: LiveRun; isReporting: boolean }) {
  const all = phase.done.reduce((sum, { seconds }) => sum + seconds, 0)
  // whether a run is profiled shows only when it is
  const later =
    phase.name === 'ended' ? [] : ORDER.slice(ORDER.indexOf(phase.name) + 1).filter((name) => name !== 'profiling')
  const share = shareOf(requests)
  const isMeasuring = phase.name === 'measuring'
  return (
    <ol className={css.phases} aria-label="Phases">
      {phase.done.map(({ name, seconds }, i) => (
        <li key={i} style={{ flexGrow: Math.max(MIN, (phase.done.length * seconds) / Math.max(all, 1e-9)) }}>
          <i />
          {phaseWord(name)} <span className="n-11">{span(seconds)}</span>
        </li>
      ))}
      {phase.name !== 'ended' && (
        <li className={css.on} style={{ flexGrow: WIDE }} aria-current="step">
          <i>
            <b style={{ width: `${100 * (isMeasuring ? (share ?? 1) : 1)}%` }} />
          </i>
          {phase.step ?? phaseWord(phase.name)}{' '}
          <span className="n-11">
            {isMeasuring
              ? progressText(isReporting ? requests : { ...requests, remaining_s: null })
              : span(Math.floor(phase.elapsed_s))}
          </span>
        </li>
      )}
      {later.map((name) => (
        <li key={name} className={css.todo} style={{ flexGrow: MIN }}>
          <i />
          {phaseWord(name)}
        </li>
      ))}
    </ol>
  )
}

interface FigureProps {
  name: string
  value: number | null
  unit: string
  note?: string | false | null
  title?: string
}

function Figure({ name, value, unit, note, title }: FigureProps) {
  const { number, unit: word } = shown(value, unit)
  return (
    <div>
      <dt title={title}>{name}</dt>
      <dd>
        <span className={css.v}>{number}</span>
        <span className={css.u}>{word}</span>
        <span className={css.c}>{note || ''}</span>
      </dd>
    </div>
  )
}

const ci = (range: string | null) => range !== null && `CI ${range}`

// The fullest GPU.
function memoryOf({ gpus }: LiveRun) {
  const found = gpus.flatMap(({ memory_bytes: used, memory_total_bytes: total }) =>
    used === null ? [] : [{ used, total }],
  )
  return found.toSorted((a, b) => b.used - a.used)[0] ?? null
}

export function Figures({ snapshot }: { snapshot: LiveRun }) {
  const { rates, client, requests, ttft_ms, tpot_ms, e2el_ms, gpus } = snapshot
  const inputs = rates.inputs_per_s ?? null // of a pooling protocol, which has no output tokens
  const memory = memoryOf(snapshot)
  return (
    <dl className={css.figures} aria-label="Metrics so far, with the 95 % CI">
      <Figure
        name="Requested"
        value={rates.requested_per_s}
        unit="req/s"
        note={rates.requested_per_s === null && 'no rate is set'}
      />
      <Figure
        name="Sent"
        value={rates.sent_per_s}
        unit="req/s"
        note={client.late_median_ms !== null && `${withUnit(client.late_median_ms, 'ms')} late`}
        title="Mean so far, with the median of the schedule lateness: actual minus planned send time"
      />
      <Figure
        name="Finished"
        value={rates.done_per_s}
        unit="req/s"
        note={requests.in_flight !== null && `${count(requests.in_flight)} in flight`}
        title="Mean since the first request was sent"
      />
      {inputs !== null && (
        <>
          <Figure name="Inputs" value={inputs} unit="1/s" title="Inputs of finished requests, mean so far" />
          <Figure
            name="E2EL median so far"
            value={e2el_ms?.median ?? null}
            unit="ms"
            note={e2el_ms ? ci(rangeText('ms', e2el_ms)) : null}
            title={`End-to-end latency, ${count(e2el_ms?.n ?? 0)} requests`}
          />
        </>
      )}
      {inputs === null && (
        <>
          <Figure
            name="Output"
            value={rates.output_tokens_per_s}
            unit="tok/s"
            title="Mean since the first request was sent"
          />
          <Figure
            name="TTFT median so far"
            value={ttft_ms.median}
            unit="ms"
            note={ci(rangeText('ms', ttft_ms))}
            title={`Time to first token, ${count(ttft_ms.n)} requests`}
          />
          <Figure
            name="TPOT median so far"
            value={tpot_ms.median}
            unit="ms"
            note={ci(rangeText('ms', tpot_ms))}
            title={`Time per output token, ${count(tpot_ms.n)} requests`}
          />
        </>
      )}
      <Figure
        name="Failed"
        value={requests.failed}
        unit=""
        note={join(
          `of ${count(requests.done)}`,
          requests.done > 0 && requests.failed > 0 && `(${((100 * requests.failed) / requests.done).toPrecision(2)} %)`,
        )}
      />
      {memory && (
        <Figure
          name={gpus.length > 1 ? 'Fullest GPU' : 'GPU memory'}
          value={memory.used}
          unit="B"
          note={memory.total !== null && `of ${withUnit(memory.total, 'B')}`}
          title={gpus.length > 1 ? `Memory in use, most of ${count(gpus.length)} GPUs` : 'Memory in use'}
        />
      )}
    </dl>
  )
}
