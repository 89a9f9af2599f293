// Watches: questions that the server asks again after each change of the data, with their states over time.
import { type FormEvent, useMemo, useState } from 'react'
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { useFields } from '../api/queries'
import { useWatchActions, useWatches } from '../api/trends'
import type { Watch } from '../api/types'
import { Catalogue, longName } from '../fields/catalogue'
import { FilterLine } from '../filter/filter-line'
import { treeOf } from '../filter/model'
import { treeWords } from '../filter/tree-words'
import { count } from '../format/number'
import { time } from '../format/time'
import { authorOf, usePreferences } from '../keys/store'
import { Act, Button, Field, join, Note, Progress, Select } from '../ui/controls'
import { Author, Needs } from '../ui/needs'
import page from '../ui/page.module.css'
import { useFailure } from '../ui/use-failure'
import { Waiting } from '../ui/waiting'
import { paths } from '../url/paths'
import { exploreOf, type TrendsState } from '../url/trends'
import { usePlace } from '../url/use-place'
import type { TrendsChange } from '../url/use-trends'
import { effectText, percent } from './model'
import { questionOf, stateOfQuestion } from './question'
import own from './releases.module.css'
import { StateMark } from './state'
import css from './trends.module.css'

export function Watches({ state, change }: { state: TrendsState; change: TrendsChange }) {
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  const found = useWatches()
  const actions = useWatchActions()
  const { failure, attempt } = useFailure()
  usePlace({ content: 'trends watches', isReady: found.data !== undefined })
  const error = found.error ?? fields.error
  return (
    <main id="main" className={join(css.body, own.body)}>
      <Progress on={found.isFetching && !found.data} />
      <h1>Watches</h1>
      <p className={page.lead}>The server asks each question again after every change of the data.</p>
      {error && (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>Could not load the watches.</b> {causeOf(error)} <Act onPress={() => void found.refetch()}>Retry</Act>
          </Note>
        </div>
      )}
      <Waiting queries={[found]} />
      {failure && (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>{failure.what}</b> {causeOf(failure.error)}
          </Note>
        </div>
      )}
      {!found.data && !error && (
        <p className={page.lead} role="status">
          Loading the watches…
        </p>
      )}
      {catalogue && found.data && (
        <>
          <Adder
            {...{ state, change, catalogue }}
            onSave={(name, failOn, author) =>
              attempt(
                'Could not store the watch.',
                actions.add({ name, question: questionOf(state), fail_on: failOn, ...author }),
              )
            }
          />
          <section className={page.block} aria-label="Stored watches">
            <div className={page.blockHead}>
              <h2>Stored watches</h2>
              <p>everyone sees them</p>
            </div>
            {found.data.length === 0 && <p className={css.none}>No watches. Store the current question above.</p>}
            <ul className={own.watches}>
              {found.data.map((watch) => (
                <Entry
                  key={watch.id}
                  {...{ watch, catalogue }}
                  onDelete={() => void attempt('Could not delete the watch.', actions.remove(watch))}
                />
              ))}
            </ul>
          </section>
        </>
      )}
    </main>
  )
}

type FailOn = Watch['fail_on']
const FAIL_ON: [FailOn, string][] = [
  ['regression', 'a regression'],
  ['suspect', 'a suspect or a regression'],
]

interface AdderProps {
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
  onSave: (name: string, failOn: FailOn, author: { author?: string }) => Promise<boolean>
}

function Adder({ state, change, catalogue, onSave }: AdderProps) {
  const { author } = usePreferences()
  const [name, setName] = useState('')
  const [failOn, setFailOn] = useState<FailOn>('regression')
  const [fault, setFault] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const text = name.trim()
    setFault(text === '' ? 'Enter a name.' : '')
    if (text !== '' && (await onSave(text, failOn, authorOf({ author })))) setName('')
  }
  return (
    <section className={page.block} aria-label="Add a watch">
      <div className={page.blockHead}>
        <h2>Watch the current question</h2>
        <p>{questionWords(state, catalogue)}</p>
      </div>
      <FilterLine {...{ state, change, catalogue }} explore={exploreOf(state)} />
      <form className={css.editor} aria-label="Add a watch" onSubmit={(event) => void submit(event)}>
        <Field
          label="Name"
          placeholder="Name"
          maxLength={200}
          value={name}
          invalid={fault !== ''}
          onChange={(event) => setName(event.target.value)}
        />
        <span className={own.pick}>
          <span aria-hidden="true">fails on</span>
          <Select label="Fails on" value={failOn} onChange={(to) => setFailOn(to as FailOn)} options={FAIL_ON} />
        </span>
        <Author />
        <Needs role="admin">
          <Button look="line" type="submit">
            Save
          </Button>
        </Needs>
        {fault && (
          <p role="alert" className={join('small', css.fault)}>
            {fault}
          </p>
        )}
      </form>
    </section>
  )
}

// "all headline metrics, by Engine version, strict, from 2 %"
const questionWords = ({ metrics, by, version, mode, effect }: TrendsState, catalogue: Catalogue) =>
  [
    metrics.length ? metrics.map((id) => longName(catalogue.get(id))).join(' and ') : 'all headline metrics',
    by === 'time' ? 'by time' : `by ${longName(catalogue.get(version))}`,
    mode,
    ...(effect === null ? [] : [`from ${effectText(effect)}`]),
  ].join(', ')

const LOOKS = { stable: 'quiet', suspect: 'worse', regression: 'worse', error: 'noisy' } as const

function Entry({ watch, catalogue, onDelete }: { watch: Watch; catalogue: Catalogue; onDelete: () => void }) {
  const question = stateOfQuestion(watch.question)
  const filter = treeOf(question.choices, question.where)
  const { state } = watch
  return (
    <li aria-label={watch.name}>
      <p className={own.watch}>
        <b>
          <Link href={paths.trends(question)}>
            <bdi>{watch.name}</bdi>
          </Link>
        </b>
        {state === null ? (
          <span className="dim">not asked yet</span>
        ) : (
          <>
            <StateWord state={state.state} />
            {state.failed && <span className={css.worse}>failed</span>}
            <span>
              since <span className="n">{time(state.since_at)}</span>
            </span>
            <span className="dim">
              checked <span className="n">{time(state.checked_at)}</span>
            </span>
          </>
        )}
        <span className={css.acts}>
          <Needs role="admin" isListed>
            <Act onPress={onDelete}>
              Delete<span className="sr"> watch {watch.name}</span>
            </Act>
          </Needs>
        </span>
      </p>
      <p>
        {filter ? <bdi>{treeWords(catalogue, filter)}</bdi> : 'All experiments'}
        {`, ${questionWords(question, catalogue)}; fails on ${FAIL_ON.find(([key]) => key === watch.fail_on)?.[1] ?? ''}`}
        {watch.author && (
          <>
            {'; by '}
            <bdi>{watch.author}</bdi>
          </>
        )}
      </p>
      {state?.message && <p className={css.worse}>{state.message}</p>}
      {state && state.series.length > 0 && (
        <ul className={own.found} aria-label="Series that became worse">
          {state.series.map((one) => (
            <li key={one.key}>
              <Link className="inline" href={paths.trends({ ...question, series: one.key })}>
                {longName(catalogue.get(one.metric))}
                {one.label && (
                  <>
                    , <bdi>{one.label}</bdi>
                  </>
                )}
              </Link>{' '}
              <span className="dim">
                {[one.state, one.ratio !== null && percent(one.ratio), one.since && `since ${one.since}`]
                  .filter(Boolean)
                  .join(', ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {watch.history.length > 0 && <History history={watch.history} />}
    </li>
  )
}

type WatchState = NonNullable<Watch['state']>['state']

const StateWord = ({ state }: { state: WatchState }) =>
  state === 'error' ? <span className={css.noisy}>error</span> : <StateMark state={state} look={LOOKS[state]} />

function History({ history }: { history: Watch['history'] }) {
  return (
    <details className={css.history}>
      <summary>
        {count(history.length)} {history.length === 1 ? 'state' : 'states'} so far
      </summary>
      <ol>
        {history.map(({ changed_at: at, state, failed, counts }) => (
          <li key={`${at} ${state}`}>
            <span className="n">{time(at, true)}</span> <b>{state}</b>
            {failed && ', failed'}{' '}
            <span className="dim">
              {count(counts.regression)} {counts.regression === 1 ? 'regression' : 'regressions'},{' '}
              {count(counts.suspect)} {counts.suspect === 1 ? 'suspect' : 'suspects'} in {count(counts.series)} series
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}
