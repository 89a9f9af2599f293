// Parts of the list of live runs and of the page of one run.
import { useEffect, useState } from 'react'

import { type ApiError, causeOf } from '../api/client'
import type { LiveListed } from '../api/types'
import { Meter, Note } from '../ui/controls'
import { State as StateMark, Verdict } from '../ui/verdict'
import { paths } from '../url/paths'
import css from './live.module.css'
import { ageText, nameOf, phaseWord, progressText, shareOf, type State, verdictText } from './model'

export const EVERY_MS = 2000 // between two requests for the list
const TICK_MS = 1000

// The time, once per second.
export function useNow() {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

const TITLES: Record<State, string> = { reporting: 'Running', silent: 'Silent', ended: 'Ended' }

export const groupsOf = (runs: LiveListed[]) =>
  (['reporting', 'silent', 'ended'] as const)
    .map((state) => ({ title: TITLES[state], runs: runs.filter((run) => run.state === state) }))
    .filter(({ runs: listed }) => listed.length > 0)

// An ended run with a stored result is an experiment.
export const addressOf = ({ run_id, state, experiment_id }: LiveListed) =>
  state === 'ended' && experiment_id !== null ? paths.experiment(experiment_id) : paths.liveRun(run_id)

// The mark of a run that reports: a disc; of a silent one: a ring.
export const Beat = ({ state }: { state: State }) => <i className={css.beat} data-state={state} aria-hidden="true" />

export function RunState({ run, ageS }: { run: LiveListed; ageS: number }) {
  if (run.state === 'silent') return <span>not running, as far as is known; last report {ageText(ageS)}</span>
  if (run.state === 'ended')
    return (
      <span>
        {endWord(run.ended)} {ageText(ageS)}
      </span>
    )
  return (
    <span>
      <Beat state="reporting" /> {run.step ?? phaseWord(run.phase)}
    </span>
  )
}

// The end of a run in the list is any object.
function endWord(ended: LiveListed['ended']) {
  const state = (ended as { state?: unknown } | null)?.state
  return typeof state === 'string' && state !== '' ? phaseWord(state) : 'ended'
}

export function RunVerdict({ run }: { run: LiveListed }) {
  const { state } = run.verdict
  return state === 'unknown' ? (
    <Verdict verdict={null} />
  ) : (
    <StateMark state={state} word={verdictText(state, run.state === 'ended')} />
  )
}

export function RunMeter({ run }: { run: LiveListed }) {
  const share = shareOf(run.requests)
  return (
    <span className={css.progress}>
      <span className="n-11">
        {progressText({ ...run.requests, ...(run.state !== 'reporting' && { remaining_s: null }) })}
      </span>
      {share !== null && (
        <Meter
          label={`Requests of ${nameOf(run)}`}
          done={run.requests.done}
          total={run.requests.total ?? 0}
          parts={[{ share, color: run.state === 'reporting' ? 'accent' : 'line-3' }]}
        />
      )}
    </span>
  )
}

export const Lost = ({ error }: { error: ApiError }) => (
  <div className={css.notice}>
    <Note kind="warn">
      <b>The connection to the dashboard is lost.</b> {causeOf(error)} The page shows the last state and connects again
      automatically.
    </Note>
  </div>
)
