// The verdict so far, and the checks that lower it.
import type { LiveRun } from '../api/types'
import { count } from '../format/number'
import { roughSpan } from '../format/time'
import { Bullet } from '../ui/bullet'
import { State } from '../ui/verdict'
import css from './live.module.css'
import { capital, p99Needs, type State as RunState, verdictText, withUnit } from './model'

export function Ruling({ snapshot, state }: { snapshot: LiveRun; state: RunState }) {
  const isEnded = state === 'ended'
  const { verdict } = snapshot
  const lacks = isEnded ? null : p99Needs(snapshot)
  const word = capital(verdictText(verdict.state, isEnded))
  const isEmpty = verdict.reasons.length === 0 && lacks === null
  return (
    <section
      className={css.ruling}
      data-verdict={verdict.state}
      data-empty={isEmpty || undefined}
      aria-label={isEnded ? 'Verdict' : 'Verdict so far'}
    >
      <div className={css.what}>
        {verdict.state === 'unknown' ? (
          <span className="dim">{word}</span>
        ) : (
          <State state={verdict.state} word={word} />
        )}
        {verdict.sentence !== null && (
          <p>
            <bdi>{verdict.sentence}</bdi>
          </p>
        )}
      </div>
      {!isEmpty && (
        <ul className={css.reasons}>
          {verdict.reasons.map(({ check, sentence, value, limit, unit }) => (
            <li key={check}>
              <div>
                <b>{capital(check.replaceAll('_', ' '))}</b>
                <p>
                  <bdi>{capital(sentence)}</bdi>
                </p>
              </div>
              <span className="n">
                {value === null ? 'no value' : withUnit(value, unit ?? '')}
                {limit !== null && <span className="mid">, limit {withUnit(limit, unit ?? '')}</span>}
              </span>
              {value !== null && limit !== null ? (
                <Bullet
                  value={value}
                  limit={limit}
                  label={`${withUnit(value, unit ?? '')}, limit ${withUnit(limit, unit ?? '')}`}
                />
              ) : (
                <span />
              )}
            </li>
          ))}
          {lacks && (
            <li>
              <div>
                <b>P99 needs more requests</b>
                <p>
                  {lacks.total === null
                    ? `${count(lacks.completed)} of ${count(lacks.needed)} are completed.`
                    : `This run has ${count(lacks.total)} requests, and a p99 needs ${count(lacks.needed)}.`}
                  {lacks.seconds !== null &&
                    state === 'reporting' &&
                    ` The p99 appears in about ${roughSpan(Math.ceil(lacks.seconds))}.`}
                </p>
              </div>
              <span className="n">
                {count(lacks.completed)}
                <span className="mid">, needs {count(lacks.needed)}</span>
              </span>
              <Bullet
                value={lacks.completed}
                limit={lacks.needed}
                label={`${count(lacks.completed)} of ${count(lacks.needed)} requests`}
                color="line-3"
              />
            </li>
          )}
        </ul>
      )}
    </section>
  )
}
