// The verdict in words, with what it rests on.
import type { Experiment } from '../api/types'
import { formOfUnit, showNumber } from '../format/number'
import { type Catalogue, inWords } from '../fields/catalogue'
import { PHASES } from '../fields/phases'
import { span } from '../format/time'
import { NOT_RECORDED, UNSET, verdictWord } from '../format/value'
import { join } from '../ui/controls'
import { State } from '../ui/verdict'
import css from './experiment.module.css'
import { type Check, decides, textOf } from './model'

const BAR = 188
const NUMBERS = ['', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine']
const CONSEQUENCE: Record<string, string> = {
  trusted: 'All known checks are within their limits.',
  degraded: 'Consider these reasons when you read the metrics.',
  client_limited: 'The load generator was the bottleneck: the metrics describe it, not the server.',
}

const word = (n: number) => NUMBERS[n] || String(n)
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

// Every check is counted once: the numbers add up to how many there are.
export function summary(checks: Check[]) {
  const against = checks.filter(decides).length
  const informational = checks.filter((check) => check.status === 'beyond' && !decides(check)).length
  const passed = checks.filter((check) => check.status === 'ok').length
  const unknown = checks.length - against - informational - passed
  if (checks.length === 1) return `The only check ${against ? 'counts against it' : passed ? 'passed' : unknown ? 'is unknown' : 'is over its limit but informational'}.`
  const parts = [against ? `${word(against)} of ${checks.length} checks ${against === 1 ? 'counts' : 'count'} against it` : `None of ${checks.length} checks counts against it`]
  if (passed) parts.push(`${passed} passed`)
  if (informational) parts.push(`${informational} ${informational === 1 ? 'is over its limit' : 'are over their limits'} but informational`)
  if (unknown) parts.push(`${unknown} ${unknown === 1 ? 'is' : 'are'} unknown`)
  return `${parts.join(', ')}.`
}

// A file may record a verdict that its own checks do not lead to; '' if they do.
export function unexplainedWords(verdict: string | null, checks: Check[]) {
  if (verdict !== 'degraded' && verdict !== 'client_limited') return ''
  const reasons = checks.filter(decides)
  if (reasons.length === 0) return `The file records the verdict ${verdictWord(verdict)}, but ${checks.length === 0 ? 'has no checks' : `none of its ${checks.length} checks shows why`}.`
  return verdict === 'degraded' || reasons.some(({ effect }) => effect === verdict) ? '' : `The file records the verdict ${verdictWord(verdict)}, but no check over its limit has this effect.`
}

export function figure(value: unknown, unit: string) {
  if (value === undefined) return NOT_RECORDED
  if (value === null) return UNSET
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value)
  return showNumber(value, formOfUnit(unit, [value]))
}

export const unitOf = (unit: string) => formOfUnit(unit, []).unit
const withUnitOf = (value: unknown, unit: string) => [figure(value, unit), typeof value === 'number' && unitOf(unit)].filter(Boolean).join(' ')

// With reasons they stand beside the sum; without, the sentence takes their place and the sum goes below it.
export function Ruling({ experiment, checks, catalogue }: { experiment: Experiment; checks: Check[]; catalogue: Catalogue }) {
  const { verdict, verdict_sentence: sentence } = experiment
  const failure = textOf(experiment, 'error.message')
  if (failure !== null) return <Failure experiment={experiment} message={String(failure)} catalogue={catalogue} />
  const reasons = checks.filter(decides)
  const sum = checks.length ? summary(checks) : ''
  const unexplained = unexplainedWords(verdict, checks)
  const told = sentence === null ? '' : `${capital(sentence)}.`
  if (reasons.length === 0) {
    return (
      <section className={join(css.ruling, css.brief)} data-verdict={verdict ?? undefined} aria-label="Verdict">
        <div className={css.what}>{verdict ? <State state={verdict} word={capital(verdictWord(verdict))} /> : <span className="dim">No verdict</span>}</div>
        <div className={css.grounds}>
          <b><bdi>{told || (verdict ? (CONSEQUENCE[verdict] ?? '') : `This file ${checks.length ? 'records too little for a verdict' : 'has no quality checks, so it has no verdict'}.`)}</bdi></b>
          {(unexplained || sum) && <p>{unexplained || sum}</p>}
        </div>
      </section>
    )
  }
  return (
    <section className={css.ruling} data-verdict={verdict ?? undefined} aria-label="Verdict">
      <div className={css.what}>
        {verdict ? <State state={verdict} word={capital(verdictWord(verdict))} /> : <span className="dim">No verdict</span>}
        <p>{sum}</p>
      </div>
      <div className={css.grounds}>
        <ul className={css.reasons}>
          {reasons.map((check, i) => (
            <li key={i}>
              <div><b>{capital(check.id.replaceAll('_', ' '))}</b>{check.text && <p><bdi>{capital(check.text)}.</bdi></p>}</div>
              <span className="n">{check.value === undefined ? 'value not recorded' : withUnitOf(check.value, check.unit)}{typeof check.limit === 'number' && <span className="mid">, limit {withUnitOf(check.limit, check.unit)}</span>}</span>
              <Bullet check={check} />
            </li>
          ))}
        </ul>
        {told && <p><bdi>{told}</bdi></p>}
        {unexplained && <p>{unexplained}</p>}
      </div>
    </section>
  )
}

// Value and limit on one scale; a value far beyond fills the bar, and the tick says where the limit lay.
function Bullet({ check: { value, limit, unit } }: { check: Check }) {
  if (typeof value !== 'number' || typeof limit !== 'number' || value < 0 || limit <= 0) return <span />
  const most = Math.max(value, limit * 1.4)
  return (
    <svg viewBox={`0 0 ${BAR} 14`} role="img" aria-label={`${figure(value, unit)} of a limit of ${figure(limit, unit)} ${unitOf(unit)}`}>
      <path d={`M0 7H${BAR}`} stroke="var(--line-2)" />
      <rect y="4" width={(value / most) * BAR} height="6" fill="var(--degraded)" />
      <path d={`M${(limit / most) * BAR} 0V14`} stroke="var(--text)" strokeWidth="1.5" />
    </svg>
  )
}

const OUTCOMES: Record<string, string> = { launch_failed: 'Did not start', timeout: 'Timed out', interrupted: 'Interrupted' }

// The line that names the cause, then the end of the log. The end may include the line.
export function logLines(line: string | null, tail: string | null) {
  const isInTail = line !== null && (tail ?? '').split('\n').some((one) => one.trim() === line.trim())
  return [isInTail ? null : line, tail].filter((part) => part !== null)
}

// Cause, remedy and log line first, then how far the start-up came.
function Failure({ experiment, message, catalogue }: { experiment: Experiment; message: string; catalogue: Catalogue }) {
  const text = (id: string) => (textOf(experiment, `error.${id}`) === null ? null : String(textOf(experiment, `error.${id}`)))
  const [cause, hint] = [text('cause') === 'unknown' ? null : text('cause'), text('hint')]
  const lines = logLines(text('log_line'), text('log_tail'))
  const duration = textOf(experiment, 'run.duration')
  const phases = PHASES.map((id) => ({ name: lowerFirst(inWords(catalogue.get(id).label)), at: textOf(experiment, id) }))
  const reached = phases.filter(({ at }) => typeof at === 'number')
  const missing = phases.slice(phases.findLastIndex(({ at }) => at !== null) + 1)
  const outcome = OUTCOMES[String(textOf(experiment, 'run.status'))] ?? 'Failed'
  return (
    <section className={join(css.ruling, css.failure)} data-verdict="failed" aria-label="Failure">
      <State state="rejected" word={`${outcome}${cause === null ? '' : `: ${lowerFirst(inWords(cause))}`}`} />
      <p className={css.message}><bdi>{capital(message)}.</bdi>{typeof duration === 'number' && ` The run ended after ${span(duration)}.`}</p>
      {hint !== null && <p><b>Next step</b> <bdi>{capital(hint)}.</bdi></p>}
      {lines.length > 0 && <pre className={css.lines} tabIndex={0} aria-label="Log"><bdi>{lines.join('\n')}</bdi></pre>}
      {reached.length > 0 && (
        <p className={css.phases}>
          <b>Startup</b> {reached.map(({ name, at }) => <span key={name}>{name} <span className="n">{Number(at).toFixed(1)} s</span></span>)}
          {missing.length > 0 && <span>not reached: {missing.map(({ name }) => name).join(', ')}</span>}
        </p>
      )}
    </section>
  )
}

const lowerFirst = (words: string) => (/^.[a-z]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words)
