// One run while it is in progress: verdict and reasons first, then phases, metrics, timeline, errors and log. When its
// result is stored, the experiment takes its place.
import { useCallback, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'

import type { ApiError } from '../api/client'
import { useLiveEvents, useStoredRun } from '../api/live'
import type { StreamEvent } from '../api/stream'
import type { LiveRun as Snapshot } from '../api/types'
import { clock, time } from '../format/time'
import { Act, Bone, Button, ButtonLink, join, Note, Progress } from '../ui/controls'
import { Copy } from '../ui/copy'
import page from '../ui/page.module.css'
import { visible } from '../ui/visible'
import { paths } from '../url/paths'
import { readTimeline } from '../url/timeline'
import { usePlace } from '../url/use-place'
import { Errors, Log } from './errors'
import { Figures, Phases } from './figures'
import { LiveSide } from './live'
import css from './live.module.css'
import {
  ageText,
  announcement,
  nameOf,
  NOTHING,
  phaseWord,
  type State,
  stateOf,
  type Watched,
  withEvent,
} from './model'
import { Beat, Lost, useNow } from './parts'
import { Ruling } from './ruling'
import { Timeline } from './timeline'

export function LiveRun({ id }: { id: string }) {
  const [watched, setWatched] = useState<Watched>(NOTHING)
  const [onEvent] = useState(() => ({ name, data }: StreamEvent) => {
    const [content, now] = [JSON.parse(data) as unknown, Date.now()]
    setWatched((before) => withEvent(before, name, content, now))
  })
  const lost = useLiveEvents(id, onEvent)
  // a run that the server does not know may have ended before the server started
  const stored = useStoredRun(id, lost?.status === 404)
  const experiment = watched.experiment ?? stored
  const [frozen, setFrozen] = useState<{ watched: Watched; at: number } | null>(null)
  const [, navigate] = useLocation()
  const isPaused = frozen !== null
  useEffect(() => {
    if (experiment === null || isPaused) return
    const { isTable } = readTimeline(window.location.search)
    navigate(`${paths.experiment(experiment)}${isTable ? '?table=1' : ''}`, { replace: true })
  }, [experiment, isPaused, navigate])
  const pause = useCallback(() => setFrozen((before) => (before ? null : { watched, at: Date.now() })), [watched])
  usePlace({ content: `live ${id}`, isReady: watched.snapshot !== null })
  return (
    <div className={join(page.doc, css.doc)}>
      <LiveSide shown={id} />
      <main id="main" className={page.read}>
        <p className={page.crumbs}>
          <Link href={paths.live()}>Live</Link> <span>/</span>{' '}
          <span className="n clip">
            <bdi>{id}</bdi>
          </span>
        </p>
        {watched.snapshot ? (
          <Run
            now={watched}
            view={frozen?.watched ?? watched}
            pausedAt={frozen?.at ?? null}
            lost={lost}
            experiment={experiment}
            onPause={pause}
          />
        ) : (
          <Waiting id={id} lost={lost} />
        )}
      </main>
    </div>
  )
}

function Waiting({ id, lost }: { id: string; lost: ApiError | null }) {
  return (
    <>
      <Progress on={!lost} />
      <h1>
        Run <bdi className="n">{id}</bdi>
      </h1>
      {lost?.status === 404 ? (
        <>
          <p className={page.lead} role="status">
            No run with this ID reports to this dashboard. The page opens the run as soon as it does.
          </p>
          <ButtonLink href={paths.live()} look="line">
            All live runs
          </ButtonLink>
        </>
      ) : lost ? (
        <Lost error={lost} />
      ) : (
        <div role="status" aria-label="Loading the run">
          <Bone width={520} />
        </div>
      )}
    </>
  )
}

interface RunProps {
  now: Watched
  view: Watched // the same, or as it was when the user paused the page
  pausedAt: number | null
  lost: ApiError | null
  experiment: number | null
  onPause: () => void
}

function Run({ now, view, pausedAt, lost, experiment, onPause }: RunProps) {
  const clockNow = useNow()
  const latest = now.snapshot as Snapshot
  const snapshot = view.snapshot as Snapshot
  const ageS = Math.max(0, clockNow - now.reportedAt) / 1000
  const state = stateOf(latest, ageS)
  const shownState = lost && state === 'reporting' ? 'silent' : state
  const title = nameOf(latest.run)
  useEffect(() => {
    document.title = `${title} · Live · ProfLLM`
  }, [title])
  const said = announcement(latest, state, lost !== null)
  const { command } = latest.run
  const hasBegun = snapshot.requests.done > 0 || snapshot.requests.in_flight !== null || view.points.t_s.length > 0
  return (
    <>
      <div className={page.head}>
        <div>
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <Facts snapshot={latest} state={state} ageS={ageS} isLost={lost !== null} />
        </div>
        <div className={page.end}>
          {command !== null && <Copy text={() => command}>Copy command</Copy>}
          {state !== 'ended' && (
            <Button look="line" onPress={onPause} aria-pressed={pausedAt !== null}>
              {pausedAt === null ? 'Pause' : 'Resume'}
            </Button>
          )}
        </div>
      </div>
      <p className="sr" role="status">
        {said}
      </p>
      {lost && <Lost error={lost} />}
      {!lost && state === 'silent' && (
        <div className={css.notice}>
          <Note kind="warn">
            <b>Not running, as far as is known.</b> The last report arrived {ageText(ageS)}. The page shows it, and
            continues when the run reports again.
          </Note>
        </div>
      )}
      {pausedAt !== null && (
        <div className={css.notice}>
          <Note>
            The page is paused at <span className="n">{clock(pausedAt)} UTC</span>. The run is not.{' '}
            {experiment !== null ? (
              <>
                It has ended. <Link href={paths.experiment(experiment)}>Open the result</Link>
              </>
            ) : (
              <Act onPress={onPause}>Resume</Act>
            )}
          </Note>
        </div>
      )}
      {state === 'ended' && <End snapshot={latest} experiment={experiment} />}
      <Ruling snapshot={snapshot} state={shownState} />
      <Phases snapshot={snapshot} isReporting={shownState === 'reporting'} />
      {hasBegun && <Figures snapshot={snapshot} />}
      <Timeline points={view.points} snapshot={snapshot} isReporting={shownState === 'reporting'} />
      <div className={css.halves}>
        <Errors snapshot={snapshot} />
        <Log snapshot={snapshot} />
      </div>
      {command !== null && (
        <section className={page.block} aria-label="Command">
          <div className={page.blockHead}>
            <h2>Command</h2>
          </div>
          <pre className={css.command} tabIndex={0} aria-label="Command of the run">
            <bdi>{visible(command)}</bdi>
          </pre>
        </section>
      )}
    </>
  )
}

function Facts({ snapshot, state, ageS, isLost }: { snapshot: Snapshot; state: State; ageS: number; isLost: boolean }) {
  const { run, phase } = snapshot
  return (
    <p className={page.facts}>
      <span>
        {isLost ? (
          <>connection lost, last report {ageText(ageS)}</>
        ) : state === 'silent' ? (
          <>
            <Beat state="silent" /> not running, as far as is known; last report {ageText(ageS)}
          </>
        ) : state === 'ended' ? (
          'ended'
        ) : (
          <>
            <Beat state="reporting" /> {phaseWord(phase.name)}, reported {ageText(ageS)}
          </>
        )}
      </span>
      {run.model !== null && (
        <span>
          <bdi>{run.model}</bdi>
        </span>
      )}
      {run.server !== null && (
        <span>
          <bdi>{run.server}</bdi>
        </span>
      )}
      {run.vllm_version !== null && (
        <span>
          {/^\d/.test(run.vllm_version) && 'vLLM '}
          <bdi className="n">{run.vllm_version}</bdi>
        </span>
      )}
      {run.load !== null && (
        <span>
          <bdi>{run.load}</bdi>
        </span>
      )}
      {(run.sweep ?? run.points > 1) && (
        <span>
          run{' '}
          <span className="n">
            {run.point} of {run.points}
          </span>
          {run.sweep && (
            <>
              {' '}
              of sweep{' '}
              <Link href={paths.sweep(run.sweep.id)}>
                <bdi>{run.sweep.name ?? run.sweep.id}</bdi>
              </Link>
            </>
          )}
        </span>
      )}
      {run.sweep?.combination != null && (
        <span>
          <bdi>{run.sweep.combination}</bdi>
        </span>
      )}
      <span>
        started <span className="n">{time(run.started_utc, true)} UTC</span>
      </span>
    </p>
  )
}

// How the run ended, until its result is stored.
function End({ snapshot: { ended }, experiment }: { snapshot: Snapshot; experiment: number | null }) {
  const isGood = ended === null || ended.exit_status === 0
  return (
    <div className={css.notice}>
      <Note {...(isGood ? {} : { kind: 'bad' as const })}>
        <b>
          The run has ended{ended && !isGood ? ` with status ${ended.exit_status}: ${phaseWord(ended.state)}` : ''}.
        </b>{' '}
        {ended?.sentence && <bdi>{ended.sentence}</bdi>}{' '}
        {experiment === null && 'Its result has not been uploaded yet. This page shows it as soon as it is.'}
      </Note>
    </div>
  )
}
