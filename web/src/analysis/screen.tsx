// The frame of Pareto, Impact and Scaling: title, counts, filter, page tools, failures, and what appears before the
// first response.
import { type ReactNode, useMemo, useRef } from 'react'

import { ApiError, causeOf } from '../api/client'
import { useFields, useHealth } from '../api/queries'
import { Catalogue } from '../fields/catalogue'
import { FilterLine } from '../filter/filter-line'
import type { Choices } from '../filter/model'
import { count } from '../format/number'
import { Act, Bone, Note, Progress } from '../ui/controls'
import { Copy } from '../ui/copy'
import { type ExportKinds, ExportMenu } from '../ui/export-menu'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { Waiting } from '../ui/waiting'
import type { ExploreState } from '../url/explore'
import css from './analysis.module.css'

// The catalog of fields, once it has loaded.
export function useCatalogue() {
  const fields = useFields()
  const catalogue = useMemo(() => fields.data && new Catalogue(fields.data), [fields.data])
  return { fields, catalogue }
}

// The last data of a query: they remain if an update fails.
export function useLast<T>(data: T | undefined): T | undefined {
  const last = useRef(data)
  if (data !== undefined) last.current = data
  return data ?? last.current
}

interface Query {
  error: Error | null
  isFetching: boolean
  failureReason: Error | null
  refetch: () => Promise<unknown>
}

interface Props {
  title: string
  noun: string // plural of what the page shows: "effects"
  answer: { count: number; total: number; data_version: number } | undefined
  facts: ReactNode // after the number of experiments
  state: { choices: Choices; where: ExploreState['where'] }
  explore: ExploreState // with the filter of `state`
  change: (part: { choices: Choices; where: undefined }) => void
  catalogue: Catalogue | undefined
  tools: ReactNode // buttons of the page; null before the first response
  queries: [Query, ...Query[]] // the first one is that of `answer`; Retry repeats those that failed
  viewError: Error | null // of the address
  onNewer: () => void
  children: ReactNode
}

export function Screen(props: Props) {
  const { title, noun, answer, facts, state, explore, change, catalogue, tools, queries, viewError } = props
  const health = useHealth()
  const failed = queries.filter(({ error }) => error !== null)
  const error = failed[0]?.error ?? viewError
  const hasNewer = answer && (health.data?.data_version ?? 0) > answer.data_version
  return (
    <main id="main" className={css.body}>
      <Progress on={queries[0].isFetching && !error} />
      <div className={page.head}>
        <div>
          <h1>{title}</h1>
          {answer && (
            <p className={page.facts}>
              <span>
                <span className="n">{count(answer.count)}</span> of <span className="n">{count(answer.total)}</span>{' '}
                experiments
              </span>
              {facts}
              {hasNewer && <Act onPress={props.onNewer}>Show newer results</Act>}
            </p>
          )}
          {catalogue && (
            <FilterLine {...{ state, explore, catalogue }} change={() => change({ choices: {}, where: undefined })} />
          )}
        </div>
        {tools !== null && (
          <div className={page.end} role="toolbar" aria-label="Page tools" {...oneStop}>
            {tools}
          </div>
        )}
      </div>
      {error && (
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            <b>
              {answer ? 'Could not update' : 'Could not load'} the {noun}.
            </b>{' '}
            {causeOf(error)}{' '}
            <Act
              onPress={() => {
                for (const one of failed) void one.refetch()
              }}
            >
              Retry
            </Act>
            {error instanceof ApiError && error.problem.instance && (
              <span className="dim"> Request {error.problem.instance}</span>
            )}
          </Note>
        </div>
      )}
      <Waiting queries={[queries[0]]} />
      {!answer && !error && (
        <>
          <p className={page.lead} role="status">
            Loading the {noun}…
          </p>
          <div className={css.bones}>
            <Bone width={320} />
            <Bone width={480} />
            <Bone width={400} />
          </div>
        </>
      )}
      {props.children}
    </main>
  )
}

interface ExportsProps<T> {
  noun: string
  file: string
  kinds: ExportKinds<T & { link: string }>
  shown: T
}

// Copies the address, and saves what the page shows.
export function Exports<T extends { answer: { at: number } }>({ noun, file, kinds, shown }: ExportsProps<T>) {
  return (
    <>
      <Copy text={() => window.location.href}>Copy link</Copy>
      <ExportMenu
        label={`Export the ${noun}`}
        file={file}
        kinds={kinds}
        shown={() => ({ ...shown, link: window.location.href })}
      />
    </>
  )
}
