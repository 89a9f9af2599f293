// Replacements of the table: each says what happened and what to do next.
import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { ApiError, causeOf } from '../api/client'
import { apply } from '../api/queries'
import { unknownFieldOf } from '../api/unknown-field'
import { type Catalogue, shortName } from '../fields/catalogue'
import { partsOf, treeOf, withChoice, withoutPart } from '../filter/model'
import { FilterWords } from '../filter/filter-words'
import { type Piece, treePieces, wordsOf } from '../filter/tree-words'
import { choiceWords } from '../filter/words'
import { count } from '../format/number'
import { Act, Acts, Bone, Button, ButtonLink, join, Note, Progress } from '../ui/controls'
import { UnknownFieldActs, UnknownFieldWords } from '../ui/unknown-field'
import { useMedia } from '../ui/use-media'
import type { ExploreState } from '../url/explore'
import { isLoopback } from '../url/here'
import { paths } from '../url/paths'
import type { Change } from '../url/use-explore'
import css from './explore.module.css'
import { PanelBones } from './filter-panel'
import panel from './filter-panel.module.css'

interface Active {
  id: string
  name: string // '': the words say all
  words: string
  pieces: Piece[] // of the words
  left: Partial<ExploreState> // without it
}

const BONES_AFTER_MS = 150
const BONES = Array.from({ length: 12 }, (_, i) => 150 + ((i * 37) % 60)) // of the names
const BONE_CELLS = [64, 104, 44, 28, 40, 52, 48, 56, 44] // of the columns after them
const NUMBERS = ['no', 'the one', 'both', 'all three', 'all four', 'all five', 'all six']

// Whether the wait is long enough to show outlines of the chart, the tools and the rows.
function useIsLong() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), BONES_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLong
}

// The chart before its script or its response has arrived.
export function ChartBones() {
  return (
    <div className={join(css.chartPlace, css.chartBones)}>
      {useIsLong() && (
        <>
          <Bone width={210} />
          <Bone width={320} />
          <span className={css.axes} />
        </>
      )}
    </div>
  )
}

export function Waiting({ hasChart }: { hasChart: boolean }) {
  const isLong = useIsLong()
  return (
    <div className={css.wrap} role="status" aria-label="Waiting for the first response">
      {hasChart && <ChartBones />}
      <div className={css.tools}>{isLong && <Bone width={150} />}</div>
      <div className={css.bones}>
        {isLong &&
          BONES.map((name, i) => (
            <div key={i}>
              <span>
                <Bone width={name} />
              </span>
              {BONE_CELLS.map((cell, at) => (
                <span key={at}>
                  <Bone width={cell - ((i * 7 + at * 5) % 12)} />
                </span>
              ))}
            </div>
          ))}
      </div>
    </div>
  )
}

// The page before it knows its fields.
export function Outline({ hasChart }: { hasChart: boolean }) {
  return (
    <div className={css.explore}>
      <div className={css.presets} />
      <div className={join(panel.panel, css.panelBones)}>
        <PanelBones />
      </div>
      <main id="main" className={css.main}>
        <h1 className="sr">Explore experiments</h1>
        <Progress on />
        <div className={css.answer}>
          <Bone width={190} />
        </div>
        <Waiting hasChart={hasChart} />
      </main>
    </div>
  )
}

interface ErrorProps {
  error: Error
  what: string
  onRetry: () => void
  onField?: (id: string, to: string | null) => void // another field in its place; null: none
}

export function ErrorNote({ error, what, onRetry, onField }: ErrorProps) {
  const problem: Partial<ApiError['problem']> = error instanceof ApiError ? error.problem : { detail: error.message }
  const unknown = onField ? unknownFieldOf(error) : null
  return (
    <div className={css.notes}>
      <Note kind="bad" role="alert">
        {unknown && onField ? (
          <UnknownFieldWords unknown={unknown} />
        ) : (
          <>
            <b>{what}</b> {causeOf(error)}
          </>
        )}
        <br />
        <Acts>
          {unknown && onField ? (
            <UnknownFieldActs unknown={unknown} onField={onField} />
          ) : (
            <Act onPress={onRetry}>Retry</Act>
          )}
          <Act
            onPress={() =>
              void navigator.clipboard.writeText(
                JSON.stringify(
                  {
                    what,
                    request: error instanceof ApiError ? error.request : null,
                    problem,
                    at: new Date().toISOString(),
                  },
                  null,
                  2,
                ),
              )
            }
          >
            Copy details
          </Act>
        </Acts>
      </Note>
    </div>
  )
}

// Names the filters whose removal helps, with how many each would bring back.
export function Empty({
  catalogue,
  state,
  change,
  round,
}: {
  catalogue: Catalogue
  state: ExploreState
  change: Change
  round: number
}) {
  const active: Active[] = [
    ...Object.entries(state.choices).map(([id, choice]) => {
      const words = choiceWords(catalogue.get(id), choice)
      return {
        id,
        name: shortName(catalogue.get(id)),
        words,
        pieces: [{ text: words, isJoint: false }],
        left: { choices: withChoice(state.choices, id, undefined) },
      }
    }),
    ...partsOf(state.where).map((part, i) => {
      const pieces = treePieces(catalogue, part)
      return { id: `part ${i}`, name: '', words: wordsOf(pieces), pieces, left: { where: withoutPart(state.where, i) } }
    }),
  ]
  const without = useQueries({
    queries: active.map(({ left }) => {
      const { choices, where } = { ...state, ...left }
      const tree = treeOf(choices, where)
      return {
        queryKey: ['without', tree ?? null, round],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          (await apply({ limit: 0, ...(tree ? { filter: tree } : {}) } as Parameters<typeof apply>[0], signal)).count,
        staleTime: Infinity,
      }
    }),
  })
  const helping = active
    .map((filter, i) => ({ ...filter, n: without[i]?.data ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => b.n - a.n)
  // all buttons appear together, once their places are known
  const isKnown = without.every((query) => !query.isPending)
  const others = active.length - helping.length
  const clear = <Act onPress={() => change({ choices: {}, where: undefined })}>Clear all</Act>
  return (
    <div className={join(css.centre, css.first)}>
      <h2>
        No experiment matches {active.length === 1 ? 'this filter' : `${NUMBERS[active.length] ?? 'all'} filters`}
      </h2>
      {isKnown && helping.length > 0 && (
        <>
          <p>Remove {helping.length === 1 ? 'this filter' : 'one of these filters'} to see experiments:</p>
          <table className={css.kill}>
            <tbody>
              {helping.map(({ id, name, words, pieces, n, left }) => (
                <tr key={id}>
                  <th scope="row">
                    <span className={css.chip}>
                      {name !== '' && <span>{name}</span>}
                      <b className="clip">
                        <bdi>
                          <FilterWords pieces={pieces} />
                        </bdi>
                      </b>
                    </span>
                  </th>
                  <td className="n">{count(n)}</td>
                  <td>
                    <Act aria-label={`Remove filter ${name || words}`} onPress={() => change(left)}>
                      Remove
                    </Act>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="small dim">
            {others > 0
              ? `Removing ${others > 1 ? `one of the other ${others} filters` : 'the other filter'} is not enough. `
              : ''}
            {clear}
          </p>
        </>
      )}
      {isKnown && helping.length === 0 && <p>Removing a single filter is not enough. {clear}</p>}
    </div>
  )
}

// The address names a page after the last one.
export function Beyond({
  count: n,
  page,
  pageRows,
  change,
}: {
  count: number
  page: number
  pageRows: number
  change: Change
}) {
  const last = Math.ceil(n / pageRows) - 1
  return (
    <div className={css.centre} role="status">
      <h2>Page {count(page + 1)} does not exist</h2>
      <p>
        {n === 1 ? 'The one matching experiment is' : <>The {count(n)} matching experiments are</>} on{' '}
        {last === 0 ? 'one page' : <>{count(last + 1)} pages</>}.
      </p>
      <div className={css.acts}>
        <Button look="line" onPress={() => change({ page: last }, { replace: true })}>
          {last === 0 ? 'Show them' : 'Go to the last page'}
        </Button>
      </div>
    </div>
  )
}

export function FirstRun() {
  const isTouch = useMedia('(hover: none)')
  return (
    <div className={join(css.centre, css.first)}>
      <h2>No experiments yet</h2>
      <p>
        {isTouch ? 'Choose' : 'Drop'} result files of <code>profllm run</code> or{' '}
        <code>vllm bench … --save-result</code>
        {isTouch ? '' : ' anywhere on this page'}, or upload them{' '}
        {isLoopback() ? 'in a terminal on this computer' : 'from the machine that created them'}:
      </p>
      <code>profllm upload results/*.json --to {window.location.origin}</code>
      <div className={css.acts}>
        <ButtonLink href={paths.upload()} look="fill">
          Choose files
        </ButtonLink>
      </div>
    </div>
  )
}
