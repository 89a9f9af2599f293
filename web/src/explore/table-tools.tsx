// The tools above the table: the order, the columns, the selection.
import { memo, type ReactNode, Suspense, useRef, useState } from 'react'

import type { Sort } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { count } from '../format/number'
import { Act, Button, ButtonLink, Check } from '../ui/controls'
import { Icon, SortMark } from '../ui/icons'
import { lazyPart } from '../ui/lazy-part'
import { oneStop } from '../ui/one-stop'
import { isComparable, sidesFor } from '../url/compare'
import type { ExploreState } from '../url/explore'
import { DEFAULT_SORT, writeSort } from '../url/explore'
import { paths } from '../url/paths'
import type { Change } from '../url/use-explore'
import css from './explore.module.css'
import { sortWords } from './sort-words'

const ColumnPicker = lazyPart(() => import('./column-picker').then((module) => module.ColumnPicker))
const SortSheet = lazyPart(() => import('./sort-sheet').then((module) => module.SortSheet))

interface Props {
  catalogue: Catalogue
  state: Pick<ExploreState, 'sort' | 'selected' | 'onlyDiffering' | 'columns' | 'pinned'>
  sort: Sort[] // of the rows that are shown; the state's may be refused, or not answered yet
  change: Change
  chosen: string[]
  columns: string[]
  varying: ReadonlySet<string> | undefined
  picker: boolean
  setPicker: (open: boolean) => void
  onCopy: () => Promise<number> // how many rows
  isPhone: boolean // cards, which have no heads
  isLow: boolean // a window in which a pop-over has no room
  status: ReactNode // which rows are shown; null: elsewhere
}

export const TableTools = memo(function TableTools({
  catalogue,
  state,
  sort,
  change,
  chosen,
  columns,
  varying,
  picker,
  setPicker,
  onCopy,
  isPhone,
  isLow,
  status,
}: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [sorting, setSorting] = useState(false)
  return (
    <div className={css.tools}>
      {isPhone ? (
        <span className={css.sorted}>
          <Button aria-haspopup="dialog" aria-expanded={sorting} onPress={() => setSorting(true)}>
            <Icon name="sort" />
            <span className="clip">
              <span className="sr">Sort: </span>
              {sortWords(catalogue, sort)}
            </span>
            <Icon name="down" small />
          </Button>
        </span>
      ) : (
        <span className={css.sorted}>
          <Icon name="sort" />
          <span
            className="clip"
            title={`${sortWords(catalogue, sort)}\nSelect a column head to sort. With Shift, add it as a sort key.`}
          >
            {sort.length > 1 ? <SortKeys catalogue={catalogue} sort={sort} /> : sortWords(catalogue, sort)}
          </span>
          {writeSort(state.sort) !== writeSort(DEFAULT_SORT) && (
            <Act onPress={() => change({ sort: DEFAULT_SORT })}>Reset</Act>
          )}
        </span>
      )}
      {status}
      <div className={css.end} role="toolbar" aria-label="Table tools" {...oneStop}>
        {!isPhone && state.selected.length > 0 && (
          <span className={css.selected} role="status">
            <b className="n">{count(state.selected.length)}</b> selected{' '}
            <Act onPress={() => change({ selected: [] })}>Clear</Act>
          </span>
        )}
        {!isPhone && isComparable(state.selected) && (
          <ButtonLink href={paths.compare({ sides: sidesFor(state.selected) })}>
            Compare {state.selected.length}
          </ButtonLink>
        )}
        {!isPhone && <CopyTable hasSelected={state.selected.length > 0} onCopy={onCopy} />}
        {!isPhone && (
          <Check
            isSelected={state.onlyDiffering}
            isDisabled={!varying}
            onChange={(only) => change({ onlyDiffering: only })}
          >
            Only columns that differ
          </Check>
        )}
        <Button ref={button} aria-haspopup="dialog" aria-expanded={picker} onPress={() => setPicker(!picker)}>
          <Icon name="columns" />
          Columns{' '}
          <span className="n-11 dim">
            {isPhone ? columns.length : `${columns.length} of ${catalogue.columns.length}`}
          </span>
        </Button>
        <Suspense fallback={null}>
          {picker && (
            <ColumnPicker
              catalogue={catalogue}
              columns={{ ids: chosen, pinned: Math.min(state.pinned, chosen.length) }}
              anchor={isPhone || isLow ? null : button}
              isCustom={state.columns !== null || state.pinned > 0}
              onlyDiffering={state.onlyDiffering}
              onChange={(next) =>
                change(next ? { columns: next.ids, pinned: next.pinned } : { columns: null, pinned: 0 })
              }
              onDiffering={(only) => change({ onlyDiffering: only })}
              onClose={() => setPicker(false)}
            />
          )}
          {isPhone && sorting && (
            <SortSheet
              catalogue={catalogue}
              sort={state.sort}
              columns={chosen}
              onSort={(next) => change({ sort: next })}
              onClose={() => setSorting(false)}
            />
          )}
        </Suspense>
      </div>
    </div>
  )
})

// Several keys as in the heads of their columns, each with its number and its direction.
function SortKeys({ catalogue, sort }: { catalogue: Catalogue; sort: Sort[] }) {
  return (
    <>
      <span className="sr">{sortWords(catalogue, sort)}</span>
      {sort.map(({ field, dir }, at) => (
        <span key={field} className={css.key} aria-hidden="true">
          {shortName(catalogue.get(field))} <SortMark dir={dir} />
          <sup>{at + 1}</sup>
        </span>
      ))}
    </>
  )
}

const SAID_MS = 2000

function CopyTable({ hasSelected, onCopy }: { hasSelected: boolean; onCopy: () => Promise<number> }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      setSaid(`Copied ${count(await onCopy())} rows`)
    } catch {
      setSaid('Could not copy the table')
    }
    setTimeout(() => setSaid(''), SAID_MS)
  }
  return (
    <Button onPress={() => void copy()}>
      <Icon name="copy" />
      <span aria-live="polite" className={said ? undefined : css.copy}>
        {said || 'Copy as Markdown'}
      </span>
      <span className="sr">{hasSelected ? ', the selected rows' : ', the rows on the screen'}</span>
    </Button>
  )
}
