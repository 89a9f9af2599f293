// Trends: verdicts on all series at the left, all series of a metric or one series at the right. The address has the
// state of both. In one column, an opened series comes first, and the verdicts are folded below its heading.
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Link } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useFields } from '../api/queries'
import { useVerdicts } from '../api/trends'
import type { Regressions, TrendsRequest } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { FilterLine } from '../filter/filter-line'
import { treeOf } from '../filter/model'
import { count } from '../format/number'
import { useKeys } from '../keys/use-keys'
import { Act, Bone, ButtonLink, Note, Progress } from '../ui/controls'
import { Icon } from '../ui/icons'
import page from '../ui/page.module.css'
import { useMedia } from '../ui/use-media'
import { Waiting } from '../ui/waiting'
import { paths } from '../url/paths'
import { exploreOf, type TrendsState } from '../url/trends'
import { usePlace } from '../url/use-place'
import { type TrendsChange, useTrendsState } from '../url/use-trends'
import { Detail } from './detail'
import { VerdictList } from './list'
import { changeOf, foundCount, shownChanges, STATES } from './model'
import { Excluded, Overview } from './overview'
import { Parts } from './parts'
import { orderOf, questionOf } from './question'
import { TwoReleases } from './releases'
import { Tools } from './tools'
import css from './trends.module.css'
import { useRound } from './use-round'
import { Watches } from './watches'

function linesOf(state: TrendsState): TrendsRequest {
  const filter = treeOf(state.choices, state.where)
  return {
    metric: state.metric,
    ...(filter && { filter }),
    order: orderOf(state),
    ...(state.vary.length && { vary: state.vary }),
    ...(state.keep.length && { keep: state.keep }),
    aggregate: state.values,
    band: state.band,
    ...(state.withSimulated && { simulated: true }),
  }
}

const LIST_MOST = 1000

export function Trends() {
  const { state, change, view } = useTrendsState()
  return (
    <>
      <Parts state={state} />
      {state.show === 'releases' ? (
        <TwoReleases {...{ state, change }} viewError={view.error} />
      ) : state.show === 'watches' ? (
        <Watches {...{ state, change }} />
      ) : (
        <Verdicts {...{ state, change }} viewError={view.error} />
      )}
    </>
  )
}

interface PartProps {
  state: TrendsState
  change: TrendsChange
  viewError: Error | null
}

function Verdicts({ state, change, viewError }: PartProps) {
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const request = useMemo(() => ({ ...questionOf(state), limit: LIST_MOST }), [state])
  const lines = useMemo(() => linesOf(state), [state])
  const round = useRound()
  const verdicts = useVerdicts(request, round.shown)
  const answer = verdicts.data
  const isComplete = answer !== undefined && answer.incomplete.length === 0
  usePlace({ content: `trends ${state.series}`, isReady: isComplete })
  useWalk(answer, state, change)
  const opened = useOpened(state.series, isComplete)
  const isFolded = useMedia('(max-width: 1180px)') && state.series !== ''
  const error = verdicts.error ?? fields.error ?? viewError
  if (!answer || !catalogue || !isComplete)
    return (
      <div className={css.split}>
        {!isFolded && (
          <aside className={css.side} aria-label="Verdicts">
            <div className={css.sideHead}>
              <Bone width={190} />
            </div>
          </aside>
        )}
        <main id="main" className={css.body}>
          <Progress on={!error} />
          <h1>Trends</h1>
          {error ? (
            <Failure
              error={error}
              onRetry={() => {
                void verdicts.refetch()
                void fields.refetch()
              }}
            />
          ) : (
            <p className={page.lead} role="status">
              {answer ? 'Analyzing the series…' : 'Loading the verdicts…'}
            </p>
          )}
          <Waiting queries={[verdicts]} />
        </main>
      </div>
    )
  const isOld = JSON.stringify(answer.request) !== JSON.stringify(request)
  const newer = round.newer(answer.data_version)
  const note = newer && (
    <p className={css.newer}>
      <Act onPress={round.next}>Show newer results</Act>
    </p>
  )
  return (
    <div className={css.split}>
      {!isFolded && (
        <aside className={css.side} aria-label="Verdicts">
          <Progress on={verdicts.isFetching} />
          <VerdictList {...{ answer, state, change, catalogue, isOld, opened }}>{note}</VerdictList>
        </aside>
      )}
      <main id="main" className={css.body}>
        {verdicts.error && (
          <div className={page.notice}>
            <Failure error={verdicts.error} onRetry={() => void verdicts.refetch()} isOld />
          </div>
        )}
        {state.series ? (
          <Detail
            {...{ answer, request, state, change, catalogue }}
            round={round.shown}
            tools={<Tools shown={answer} />}
          >
            {isFolded && (
              <>
                {note}
                <Fold key={state.series} answer={answer} state={state}>
                  <VerdictList {...{ answer, state, change, catalogue, isOld, opened }} />
                </Fold>
              </>
            )}
          </Detail>
        ) : (
          <>
            <div className={page.head}>
              <div>
                <h1>Trends</h1>
                <p className={page.facts}>
                  <span>
                    <span className="n">{count(answer.counts.experiments)}</span> experiments
                  </span>
                  <span>
                    <span className="n">{count(answer.counts.configurations)}</span>{' '}
                    {answer.counts.configurations === 1 ? 'configuration' : 'configurations'}
                  </span>
                  <span>
                    <span className="n">{count(answer.counts.series)}</span> series
                  </span>
                </p>
                <FilterLine {...{ state, change, catalogue }} explore={exploreOf(state)} />
              </div>
              <div className={page.end}>{answer.counts.series > 0 && <Tools shown={answer} />}</div>
            </div>
            {answer.counts.series === 0 ? (
              <Nothing {...{ answer, state, change }} />
            ) : (
              <>
                <TooFew answer={answer} />
                <Overview {...{ answer, state, change, catalogue }} request={lines} round={round.shown} />
              </>
            )}
          </>
        )}
      </main>
    </div>
  )
}

function Failure({ error, onRetry, isOld = false }: { error: Error; onRetry: () => void; isOld?: boolean }) {
  const id = error instanceof ApiError ? error.problem.instance : undefined
  return (
    <Note kind="bad" role="alert">
      <b>{isOld ? 'Could not update the verdicts.' : 'Could not load the verdicts.'}</b> {causeOf(error)}{' '}
      <Act onPress={onRetry}>Retry</Act>
      {id && <span className="dim"> Request {id}</span>}
    </Note>
  )
}

// If the link that opened or closed a series has left the page, the heading of the series or its entry in the list gets
// the focus. Returns the opened series, or the one that is being closed: its entry must be in the list.
function useOpened(series: string, isReady: boolean) {
  const last = useRef(series)
  useEffect(() => {
    if (!isReady || last.current === series) return
    const left = last.current
    last.current = series
    if (document.activeElement !== document.body) return
    const entry = document.querySelector<HTMLElement>(series ? '#main h1' : `[data-entry="${CSS.escape(left)}"]`)
    entry?.focus({ preventScroll: true })
    if (!series) entry?.scrollIntoView({ block: 'nearest' })
  }, [series, isReady])
  return series || last.current
}

// The verdicts in one column, closed until the user asks for them.
function Fold({ answer, state, children }: { answer: Regressions; state: TrendsState; children: ReactNode }) {
  const { by_state: counts, series: total } = answer.counts
  const found = foundCount(counts, state.mode)
  return (
    <details className={css.fold} data-fold>
      <summary>
        <Icon name="right" small />
        {found ? `${count(found)} changed series` : `All ${count(total)} series`}
      </summary>
      <section aria-label="Verdicts">{children}</section>
    </details>
  )
}

// No series: what is missing, and what to do.
function Nothing({ answer, state, change }: { answer: Regressions; state: TrendsState; change: TrendsChange }) {
  const isFiltered = treeOf(state.choices, state.where) !== undefined
  return (
    <div className={css.empty}>
      {answer.counts.experiments === 0 && !isFiltered ? (
        <>
          <p>No results yet. Trends need at least 10 runs of one configuration, for example of two releases.</p>
          <code>profllm run -c FILE --upload {window.location.origin}</code>
          <p>
            <Link className="inline" href={paths.upload()}>
              Upload earlier results
            </Link>
          </p>
        </>
      ) : (
        <>
          <p>{isFiltered ? 'The filter removes all series.' : 'No series has a number for these metrics.'}</p>
          {isFiltered && (
            <p>
              <Act onPress={() => change({ choices: {}, where: undefined })}>Clear filter</Act>
            </p>
          )}
          {!isFiltered && (
            <ButtonLink look="line" href={paths.explore()}>
              Explore experiments
            </ButtonLink>
          )}
        </>
      )}
      <Excluded {...{ answer, state, change }} />
    </div>
  )
}

function TooFew({ answer }: { answer: Regressions }) {
  const { by_state: by } = answer.counts
  const isFew = (by['insufficient_data'] ?? 0) > 0
  const hasVerdict = STATES.some((state) => state !== 'insufficient_data' && state !== 'not_comparable' && by[state])
  if (!isFew || hasVerdict) return null
  const least = Math.min(...answer.series.map(({ missing_count: missing }) => missing).filter((one) => one > 0))
  return (
    <div className={page.notice}>
      <Note>
        <b>No series has enough runs for a verdict.</b> A series needs 10 runs with the same inputs
        {Number.isFinite(least) ? `; the next one needs ${count(least)} more` : ''}. Repeat your measurements, for
        example once per night or per release.
      </Note>
    </div>
  )
}

// j and k walk the list, Enter opens the focused entry as a link does; [ and ] walk the changes, t shows the table.
function useWalk(answer: Regressions | undefined, state: TrendsState, change: TrendsChange) {
  const step = (by: number) => {
    const fold = document.querySelector<HTMLDetailsElement>('[data-fold]')
    if (fold) fold.open = true // nothing in a closed one can have the focus
    const entries = [...document.querySelectorAll<HTMLElement>('[data-entry]')]
    const now = entries.findIndex((entry) => entry === document.activeElement)
    const current = entries.findIndex((entry) => entry.getAttribute('aria-current') === 'true')
    const to = now >= 0 ? now + by : current + (now < 0 && by > 0 && current < 0 ? 1 : by)
    entries[Math.min(entries.length - 1, Math.max(0, to))]?.focus()
  }
  const walk = (by: number) => {
    const verdict = answer?.series.find(({ key }) => key === state.series)
    const changes = verdict ? shownChanges(verdict) : []
    const read = verdict && changeOf(verdict, state.change)
    const to = (read ? changes.indexOf(read) : -1) + by
    if (to >= 0 && to < changes.length) change({ change: to + 1 })
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '[': () => walk(-1),
    ']': () => walk(1),
    t: () => change({ asTable: !state.asTable }),
  })
}
