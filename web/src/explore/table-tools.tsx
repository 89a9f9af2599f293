// Above the table: how it is sorted, which columns.
import { lazy, Suspense, useRef, useState } from 'react'

import type { Facet, Sort } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { Act, Button, Check } from '../ui/controls'
import { Icon } from '../ui/icons'
import type { ExploreState } from '../url/explore'
import { DEFAULT_SORT, writeSort } from '../url/explore'
import type { Change } from '../url/use-explore'
import css from './explore.module.css'
import { sortWords } from './sort-words'

const ColumnPicker = lazy(() => import('./column-picker').then((module) => ({ default: module.ColumnPicker })))
const SortSheet = lazy(() => import('./sort-sheet').then((module) => ({ default: module.SortSheet })))

interface Props {
  catalogue: Catalogue
  state: ExploreState
  sort: Sort[] // of the rows that are shown; the state's may be refused, or not answered yet
  change: Change
  chosen: string[]
  columns: string[]
  varying: Record<string, Facet> | undefined
  picker: boolean
  setPicker: (open: boolean) => void
  isPhone: boolean // cards, which have no heads
}

export function TableTools({ catalogue, state, sort, change, chosen, columns, varying, picker, setPicker, isPhone }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [sorting, setSorting] = useState(false)
  return (
    <div className={css.tools}>
      {isPhone ? (
        <span className={css.sorted}>
          <Button aria-haspopup="dialog" aria-expanded={sorting} onPress={() => setSorting(true)}>
            <Icon name="sort" />
            <span className="clip"><span className="sr">Sort: </span>{sortWords(catalogue, sort)}</span>
            <Icon name="down" small />
          </Button>
        </span>
      ) : (
        <span className={css.sorted}>
          <Icon name="sort" />
          <span className="clip" title="Press a column's head to sort, with Shift to add it as a further key">{sortWords(catalogue, sort)}</span>
          {writeSort(state.sort) !== writeSort(DEFAULT_SORT) && <Act onPress={() => change({ sort: DEFAULT_SORT })}>Reset</Act>}
        </span>
      )}
      <div className={css.end}>
        {!isPhone && (
          <Check isSelected={state.onlyDiffering} isDisabled={!varying} onChange={(only) => change({ onlyDiffering: only })}>
            Only columns that differ
          </Check>
        )}
        <Button ref={button} aria-haspopup="dialog" aria-expanded={picker} onPress={() => setPicker(!picker)}>
          <Icon name="columns" />
          Columns <span className="n-11 dim">{isPhone ? columns.length : `${columns.length} of ${catalogue.columns.length}`}</span>
        </Button>
        <Suspense fallback={null}>
          {picker && <ColumnPicker catalogue={catalogue} chosen={chosen} anchor={isPhone ? null : button} isCustom={state.columns !== null} onlyDiffering={state.onlyDiffering}
            onChange={(ids) => change({ columns: ids })} onDiffering={(only) => change({ onlyDiffering: only })} onClose={() => setPicker(false)} />}
          {isPhone && sorting && <SortSheet catalogue={catalogue} sort={state.sort} columns={chosen} onSort={(next) => change({ sort: next })} onClose={() => setSorting(false)} />}
        </Suspense>
      </div>
    </div>
  )
}
