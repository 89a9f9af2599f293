// The verdict in words, with its reasons.
import type { Experiment } from '../api/types'
import { count, formOfUnit, showNumber } from '../format/number'
import { inWords } from '../fields/catalogue'
import { PHASES, phaseName } from '../fields/phases'
import { span } from '../format/time'
import { NOT_RECORDED, UNSET, verdictWord } from '../format/value'
import { Bullet } from '../ui/bullet'
import { join } from '../ui/controls'
import { State } from '../ui/verdict'
import css from './experiment.module.css'
import { type Check, decides, textOf } from './model'

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function figure(value: unknown, unit: string) {
  if (value === undefined) return NOT_RECORDED
  if (value === null) return UNSET
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value)
  return showNumber(value, formOfUnit(unit, [value]))
}

// The value of a check. A client error has the two digits of the sentence about it, rounded up.
export function checkFigure({ id, value, unit }: Pick<Check, 'id' | 'value' | 'unit'>) {
  if (id !== 'client_error' || unit !== 'share' || typeof value !== 'number' || !(value > 0)) return figure(value, unit)
  const percent = Math.max(100 * value, 0.01)
  const grain = percent < 10 ? 10 ** (Math.floor(Math.log10(percent)) - 1) : 1
  return figure((Math.ceil(percent / grain - 1e-9) * grain) / 100, unit)
}

export const unitOf = (unit: string) => formOfUnit(unit, []).unit
const withUnitOf = (value: unknown, unit: string) =>
  [figure(value, unit), typeof value === 'number' && unitOf(unit)].filter(Boolean).join(' ')

// Whether to use the metrics, why, and what to do, in the words of the console. Then the checks that lower the verdict.
export function Ruling({ experiment, checks }: { experiment: Experiment; checks: Check[] }) {
  const status = textOf(experiment, 'run.status')
  const verdict = status === null || status === 'completed' ? experiment.verdict : null
  if (textOf(experiment, 'error.message') !== null) return <Failure experiment={experiment} />
  const [belief, why, action] = sentencesOf(experiment)
  const reasons = checks.filter(decides)
  return (
    <section
      className={join(css.ruling, css.brief)}
      data-verdict={verdict ?? undefined}
      data-simulated={experiment.simulated || undefined}
      aria-label="Verdict"
    >
      <div className={css.what}>
        {verdict ? (
          <State state={verdict} word={capital(verdictWord(verdict))} />
        ) : (
          <span className="dim">No verdict</span>
        )}
      </div>
      <div className={css.grounds}>
        <b>
          <bdi>{belief}</bdi>
        </b>
        <p>
          <bdi>{why}</bdi>
        </p>
        <p>
          <bdi>
            <CheckLinks text={action} checks={checks} />
          </bdi>
        </p>
        {reasons.length > 0 && (
          <ul className={css.reasons}>
            {reasons.map((check, i) => (
              <li key={i}>
                <div>
                  <b>{capital(check.id.replaceAll('_', ' '))}</b>
                  {check.text && (
                    <p>
                      <bdi>{capital(check.text)}.</bdi>
                    </p>
                  )}
                </div>
                <span className="n">
                  {check.value === undefined
                    ? 'value not recorded'
                    : [checkFigure(check), typeof check.value === 'number' && unitOf(check.unit)]
                        .filter(Boolean)
                        .join(' ')}
                  {typeof check.limit === 'number' && (
                    <span className="mid">, limit {withUnitOf(check.limit, check.unit)}</span>
                  )}
                </span>
                <CheckBullet check={check} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}

// The text with a link to each check whose note it says to read: "…; read the notes on short_run, sample_size".
function CheckLinks({ text = '', checks }: { text: string | undefined; checks: Check[] }) {
  const at = text.indexOf('; read the note')
  if (at < 0) return text
  const ids = new Set(checks.map(({ id }) => id))
  return [
    text.slice(0, at),
    ...text
      .slice(at)
      .split(/(\w+)/)
      .map((word, i) =>
        ids.has(word) ? (
          <a key={i} className="inline" href={`#check-${word}`}>
            {word}
          </a>
        ) : (
          word
        ),
      ),
  ]
}

const sentencesOf = ({ verdict_sentence: sentence }: Experiment) => sentence.split('\n')

function CheckBullet({ check: { value, limit, unit } }: { check: Check }) {
  if (typeof value !== 'number' || typeof limit !== 'number') return <span />
  return <Bullet value={value} limit={limit} label={`${withUnitOf(value, unit)}, limit ${withUnitOf(limit, unit)}`} />
}

const OUTCOMES: Record<string, string> = {
  launch_failed: 'Did not start',
  timeout: 'Timed out',
  interrupted: 'Interrupted',
}

// The line that names the cause, then the end of the log. The end may include the line.
export function logLines(line: string | null, tail: string | null) {
  const isInTail = line !== null && (tail ?? '').split('\n').some((one) => one.trim() === line.trim())
  return [isInTail ? null : line, tail].filter((part) => part !== null)
}

const ERROR_LINE = /\b\w*(Error|Exception)\b: ?\S/
const TITLE_LETTERS = 120

// The line of the log that names the cause: as recorded, or the last line with an error.
export function causeLine(line: string | null, tail: string | null) {
  const found = (line ?? (tail ?? '').split('\n').findLast((one) => ERROR_LINE.test(one)) ?? '').trim()
  return found.length > TITLE_LETTERS ? `${found.slice(0, TITLE_LETTERS - 1)}…` : found
}

// Cause, remedy and log line first, then the progress of the startup.
function Failure({ experiment }: { experiment: Experiment }) {
  const text = (id: string) =>
    textOf(experiment, `error.${id}`) === null ? null : String(textOf(experiment, `error.${id}`))
  const [belief, why, action] = sentencesOf(experiment)
  const known = text('cause') === 'unknown' ? null : text('cause')
  const cause = known === null ? causeLine(text('log_line'), text('log_tail')) : lowerFirst(inWords(known))
  const lines = logLines(text('log_line'), text('log_tail'))
  const duration = textOf(experiment, 'run.duration')
  const phases = PHASES.map((id) => ({ name: phaseName(id), at: textOf(experiment, id) }))
  const reached = phases.filter(({ at }) => typeof at === 'number')
  const missing = phases.slice(phases.findLastIndex(({ at }) => at !== null) + 1)
  const outcome = OUTCOMES[String(textOf(experiment, 'run.status'))] ?? 'Failed'
  return (
    <section className={join(css.ruling, css.failure)} data-verdict="failed" aria-label="Failure">
      <State state="rejected" word={`${outcome}${cause === '' ? '' : `: ${cause}`}`} />
      <p className={css.message}>
        <b>
          <bdi>{belief}</bdi>
        </b>{' '}
        <bdi>{why}</bdi>
        {typeof duration === 'number' && ` The run ended after ${span(duration)}.`}
      </p>
      <p>
        <b>Next step</b> <bdi>{action}</bdi>
      </p>
      {lines.length > 0 && (
        <pre className={css.lines} tabIndex={0} aria-label="Log">
          <bdi>{lines.join('\n')}</bdi>
        </pre>
      )}
      {reached.length > 0 && (
        <p className={css.phases}>
          <b>Startup</b>{' '}
          {reached.map(({ name, at }) => (
            <span key={name}>
              {name} <span className="n">{Number(at).toFixed(1)} s</span>
            </span>
          ))}
          {missing.length > 0 && (
            <span title={missing.map(({ name }) => name).join('\n')}>
              {count(missing.length)} later {missing.length === 1 ? 'phase' : 'phases'} not reached, beginning with “
              {missing[0]?.name}”
            </span>
          )}
        </p>
      )}
    </section>
  )
}

const lowerFirst = (words: string) => (/^.[a-z]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words)
