// Above the table: how it is sorted, which columns.
import { lazy, Suspense, useRef } from 'react'

import type { Facet, Sort } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { Act, Button, Check } from '../ui/controls'
import { Icon } from '../ui/icons'
import type { ExploreState } from '../url/explore'
import { DEFAULT_SORT, writeSort } from '../url/explore'
import type { Change } from '../url/use-explore'
import css from './explore.module.css'

const ColumnPicker = lazy(() => import('./column-picker').then((module) => ({ default: module.ColumnPicker })))

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
}

function sortWords(catalogue: Catalogue, sort: Sort[]) {
  if (sort.length === 0) return 'Newest stored first'
  return sort.map(({ field: id, dir }) => {
    const field = catalogue.get(id)
    if (field.type === 'time') return `${shortName(field)}, ${dir === 'desc' ? 'newest' : 'oldest'} first`
    const isBest = field.direction === 'higher' ? dir === 'desc' : field.direction === 'lower' ? dir === 'asc' : null
    return `${shortName(field)}, ${isBest === null ? (dir === 'asc' ? 'ascending' : 'descending') : isBest ? 'best first' : 'worst first'}`
  }).join(', then ')
}

export function TableTools({ catalogue, state, sort, change, chosen, columns, varying, picker, setPicker }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <div className={css.tools}>
      <span className={css.sorted}>
        <Icon name="sort" />
        <span className="clip" title="Press a column's head to sort, with Shift to add it as a further key">{sortWords(catalogue, sort)}</span>
        {writeSort(state.sort) !== writeSort(DEFAULT_SORT) && <Act onPress={() => change({ sort: DEFAULT_SORT })}>Reset</Act>}
      </span>
      <div className={css.end}>
        <Check isSelected={state.onlyDiffering} isDisabled={!varying} onChange={(only) => change({ onlyDiffering: only, page: state.page })}>
          Only columns that differ
        </Check>
        <Button ref={button} aria-haspopup="dialog" aria-expanded={picker} onPress={() => setPicker(!picker)}>
          <Icon name="columns" />
          Columns <span className="n-11 dim">{columns.length} of {catalogue.columns.length}</span>
        </Button>
        <Suspense fallback={null}>
          {picker && <ColumnPicker catalogue={catalogue} chosen={chosen} anchor={button} isCustom={state.columns !== null} onlyDiffering={state.onlyDiffering}
            onChange={(ids) => change({ columns: ids, page: state.page })} onDiffering={(only) => change({ onlyDiffering: only, page: state.page })} onClose={() => setPicker(false)} />}
        </Suspense>
      </div>
    </div>
  )
}
