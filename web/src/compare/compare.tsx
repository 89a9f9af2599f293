// Compare: two to eight experiments or groups side by side. The address is the comparison.
import { type CSSProperties, useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'

import { ApiError, causeOf } from '../api/client'
import { useComparison, useExperiments, useFields } from '../api/queries'
import { Catalogue } from '../fields/catalogue'
import { DATA_VERSION } from '../format/value'
import { usePreferences } from '../keys/store'
import { useKeys } from '../keys/use-keys'
import { sidesOf, useTray } from '../tray/store'
import { Act, ButtonLink, join, Note, Progress, Select } from '../ui/controls'
import page from '../ui/page.module.css'
import { useMedia } from '../ui/use-media'
import { Simulated } from '../ui/verdict'
import { type CompareState, isComparable, LETTERS, moved, oneOf, type Side, sidesFor } from '../url/compare'
import { undo } from '../url/entry'
import { selectedOf } from '../url/explore'
import { paths } from '../url/paths'
import { type CompareChange, useCompare } from '../url/use-compare'
import { usePlace } from '../url/use-place'
import { Cautions } from './cautions'
import css from './compare.module.css'
import { Curves } from './curves'
import { Differs } from './differs'
import { Metrics, shownOf } from './metrics'
import { type Answer, detailsOf, MANY, metricsOf, ownNameOf, requestOf, viewsOf, withoutTwins } from './model'
import { OverTime } from './over-time'
import { Quality } from './quality'
import { SideVerdict, Sides } from './sides'
import { StartUp } from './startup'
import { Summary } from './summary'
import { Take } from './take'

export function Compare() {
  const { state, change, view } = useCompare()
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const error = fields.error ?? view.error
  useKeys({ '[': undo, ']': () => history.forward() })
  if (error)
    return (
      <Framed>
        <Failed
          error={error}
          onRetry={() => {
            void fields.refetch()
            void view.refetch()
          }}
        />
      </Framed>
    )
  if (!catalogue || view.isLoading)
    return (
      <Framed>
        <Progress on />
      </Framed>
    )
  if (state.sides.length < 2) return <TooFew state={state} />
  return <Screen catalogue={catalogue} state={state} change={change} />
}

const Framed = ({ children }: { children: React.ReactNode }) => (
  <main id="main" className={join(page.read, page.wide)}>
    <h1>Compare</h1>
    {children}
  </main>
)

const Failed = ({ error, onRetry }: { error: Error; onRetry: () => void }) => (
  <Note kind="bad" role="alert">
    <b>Could not load the comparison.</b> {causeOf(error)} <Act onPress={onRetry}>Retry</Act>
  </Note>
)

// The experiment that the server refused because it does not exist.
function missingOf(error: Error | null, sides: Side[]) {
  const [, at, index] =
    (error instanceof ApiError &&
      error.status === 422 &&
      /^\/sides\/(\d+)\/ids\/(\d+)$/.exec(error.problem.pointer ?? '')) ||
    []
  const side = sides[Number(at)]
  return side && 'ids' in side ? (side.ids[Number(index)] ?? null) : null
}

// Returns the sides without missing experiments, and without sides that become empty.
const withoutMissing = (sides: Side[], missing: number[]) =>
  sides.flatMap((side): Side[] => {
    if (!('ids' in side) || !side.ids.some((id) => missing.includes(id))) return [side]
    const ids = side.ids.filter((id) => !missing.includes(id))
    return ids.length ? [{ ...side, ids }] : []
  })

const Missing = ({ ids, onRemove }: { ids: number[]; onRemove: () => void }) => (
  <div className={page.notice}>
    <Note kind="bad" role="alert">
      <b>
        {ids.length === 1
          ? `Experiment ${ids[0] ?? ''} does not exist or was deleted.`
          : `Experiments ${ids.join(', ')} do not exist or were deleted.`}
      </b>{' '}
      <Act onPress={onRemove}>Remove {ids.length === 1 ? 'it' : 'them'} from the comparison</Act>
    </Note>
  </div>
)

// The only remaining side, by name.
function Remaining({ side, catalogue }: { side: Side; catalogue: Catalogue }) {
  const id = oneOf(side)
  const [experiment] = useExperiments([id])
  const name = ownNameOf(side, experiment, catalogue)
  const lastExplore = usePreferences((kept) => kept.lastExplore)
  return (
    <>
      <p className={page.lead}>This comparison has one side. Add a second one.</p>
      <p className={css.remaining}>
        <b>{id === null ? name : <Link href={paths.experiment(id)}>{name}</Link>}</b>{' '}
        {experiment && <SideVerdict experiment={experiment} />} {experiment?.simulated && <Simulated />}
      </p>
      <p className={page.lead}>
        <ButtonLink href={lastExplore} look="line">
          Choose another in Explore
        </ButtonLink>
      </p>
    </>
  )
}

function TooFew({ state }: { state: CompareState }) {
  const pinned = useTray((tray) => tray.pinned)
  const lastExplore = usePreferences((kept) => kept.lastExplore)
  const selected = useMemo(() => selectedOf(lastExplore), [lastExplore])
  const isTouch = useMedia('(hover: none)')
  return (
    <Framed>
      <p className={page.lead}>
        {state.sides.length === 1
          ? 'This comparison has one side. Add a second one.'
          : pinned.length === 0 && 'Nothing is pinned yet.'}{' '}
        On Explore,{' '}
        {isTouch ? (
          <>
            tap <b>+</b> on two to eight experiments.
          </>
        ) : (
          <>
            select two to eight experiments, or press <kbd>p</kbd> on each.
          </>
        )}{' '}
        You can also pin all results of a filter as one group. The first pinned side is the baseline.
      </p>
      <p className={page.lead}>
        <ButtonLink href={lastExplore} look="line">
          Explore experiments
        </ButtonLink>{' '}
        {isComparable(selected) && (
          <>
            <ButtonLink href={paths.compare({ sides: sidesFor(selected) })} look="line">
              Compare {selected.length} selected
            </ButtonLink>{' '}
          </>
        )}
        {pinned.length > 1 && (
          <ButtonLink href={paths.compare({ sides: sidesOf(pinned) })} look="line">
            Compare {pinned.length} pinned
          </ButtonLink>
        )}
      </p>
    </Framed>
  )
}

function useScreen(catalogue: Catalogue, whole: CompareState) {
  const [missing, setMissing] = useState<number[]>([])
  const state = useMemo(() => ({ ...whole, sides: withoutMissing(whole.sides, missing) }), [whole, missing])
  const request = useMemo(() => (state.sides.length < 2 ? null : requestOf(state)), [state])
  const ids = useMemo(() => detailsOf(catalogue), [catalogue])
  const answer = useComparison(request)
  const gone = missingOf(answer.error, state.sides)
  useEffect(() => {
    if (gone !== null) setMissing((known) => [...known, gone])
  }, [gone])
  // after the first request, because its data are further down the page
  const more = useMemo(
    () => (answer.data && !answer.isPlaceholderData && ids.length ? requestOf(state, ids) : null),
    [answer.data, answer.isPlaceholderData, state, ids],
  )
  const details = useComparison(more)
  const asked = useMemo(() => state.sides.map(oneOf), [state.sides])
  const experiments = useExperiments(asked)
  const data: Answer | undefined = request ? answer.data : undefined
  const views = useMemo(
    () =>
      data ? viewsOf(sidesIn(data, state), data, asked.length === data.sides.length ? experiments : [], catalogue) : [],
    [data, state, asked, experiments, catalogue],
  )
  const { shown: metrics, folded } = useMemo(
    () => withoutTwins(data ? metricsOf(data.metrics, catalogue) : []),
    [data, catalogue],
  )
  const told = useMemo(
    () => (details.data ? metricsOf(details.data.metrics, catalogue) : null),
    [details.data, catalogue],
  )
  return {
    shownSides: state.sides,
    missing: missing.filter((id) => whole.sides.some((side) => 'ids' in side && side.ids.includes(id))),
    error: gone === null ? answer.error : null,
    answer,
    data,
    views,
    metrics,
    folded,
    details: told,
    detailsError: details.error,
    isWaiting: answer.isFetching && (!data || answer.isPlaceholderData),
  }
}

// The sides of the shown answer: while the next answer loads, the last one remains.
const sidesIn = (answer: Answer, state: CompareState) =>
  answer.sides.length === state.sides.length ? state.sides : (answer.request.sides as CompareState['sides'])

function Screen({ catalogue, state, change }: { catalogue: Catalogue; state: CompareState; change: CompareChange }) {
  const { shownSides, missing, error, answer, data, views, metrics, folded, details, detailsError, isWaiting } =
    useScreen(catalogue, state)
  const lastExplore = usePreferences((kept) => kept.lastExplore)
  useEffect(() => {
    document.title = `Compare ${shownSides.length} · ProfLLM`
  }, [shownSides.length])
  usePlace({ content: 'compare', isReady: data !== undefined })
  // the tray holds what is compared
  const setSides = (sides: CompareState['sides']) => {
    const names = new Map(views.map(({ side, ownName }) => [side, ownName]))
    useTray.getState().set(sides.map((side) => ({ side, name: names.get(side) ?? '' })))
    change({ sides })
  }
  const noun = shownSides.every((side) => oneOf(side) !== null) ? 'experiment' : 'side'
  const title = shownSides.length < 2 ? 'Compare' : `${shownSides.length} ${noun}s, A is the baseline`
  const [only] = shownSides
  const move = (from: number, to: number) => setSides(moved(shownSides, from, to))
  const removeMissing = () => {
    for (const side of state.sides) if (!shownSides.includes(side)) useTray.getState().remove(side)
    change({ sides: shownSides })
  }
  return (
    <main
      id="main"
      className={join(page.read, page.wide, css.screen)}
      aria-busy={isWaiting}
      data-many={shownSides.length > MANY || undefined}
      style={{ '--sides': shownSides.length } as CSSProperties}
    >
      <Progress on={isWaiting} />
      <p className={page.crumbs}>
        <Link href={lastExplore}>Explore</Link> <span>/</span> <span>Compare</span>
      </p>
      <div className={page.head}>
        <div>
          <h1>{title}</h1>
        </div>
        <div className={page.end}>
          {views.length > 0 && (
            <Select
              label="Baseline"
              value="A"
              onChange={(letter) => move(LETTERS.indexOf(letter), 0)}
              options={views.map(({ letter }) => [letter, `Baseline: ${letter}`])}
            />
          )}
          {data && (
            <Take
              shown={{
                answer: data,
                views,
                metrics: shownOf(metrics, state.onlyClear),
                details: details ?? [],
                catalogue,
                link: window.location.href,
              }}
            />
          )}
        </div>
      </div>
      {missing.length > 0 && <Missing ids={missing} onRemove={removeMissing} />}
      {shownSides.length === 1 && only && <Remaining side={only} catalogue={catalogue} />}
      {error && shownSides.length > 1 && <Failed error={error} onRetry={() => void answer.refetch()} />}
      {data && (
        <>
          <Sides
            views={views}
            onMove={move}
            onRemove={(at) => setSides(shownSides.toSpliced(at, 1))}
            onSimulated={() => change({ withSimulated: true })}
          />
          <Summary views={views} metrics={metrics} />
          <Cautions
            answer={data}
            views={views}
            metrics={metrics}
            catalogue={catalogue}
            isMatched={state.match}
            onMatch={(match) => change({ match })}
          />
          <Differs
            answer={data}
            views={views}
            catalogue={catalogue}
            withEqual={state.withEqual}
            onEqual={(withEqual) => change({ withEqual })}
          />
          <Metrics
            answer={data}
            views={views}
            metrics={metrics}
            folded={folded}
            onlyClear={state.onlyClear}
            onOnlyClear={(onlyClear) => change({ onlyClear })}
          />
          <Curves
            families={data.families}
            views={views}
            isLog={state.logCurves}
            onLog={(logCurves) => change({ logCurves })}
          />
          <OverTime views={views} isLog={state.logTime} onLog={(logTime) => change({ logTime })} />
          {detailsError && (
            <Note kind="warn" role="alert">
              <b>Could not load startup and quality.</b> {causeOf(detailsError)}
            </Note>
          )}
          <StartUp details={details} views={views} />
          <Quality details={details} views={views} />
          <p className={css.foot} title={DATA_VERSION}>
            Data version <span className="n-11">{data.data_version}</span>. Comparisons with the same data version show
            the same results.
          </p>
        </>
      )}
    </main>
  )
}
