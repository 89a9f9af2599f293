// Heads and cells of the table.
import { memo } from 'react'
import { Link } from 'wouter'

import type { Row, Sort } from '../api/types'
import { shortName } from '../fields/catalogue'
import { directionWords } from '../filter/words'
import { arrow } from '../format/number'
import { briefly, isFigure, nameOf, rawValue, showValue } from '../format/value'
import { join } from '../ui/controls'
import { Nothing, Simulated, Verdict } from '../ui/verdict'
import { paths } from '../url/paths'
import { type Across, BAR_PX, type Shown, VERDICT } from './grid-columns'
import css from './grid.module.css'

// aria-colindex counts from 1, and the names stand first.
const placeIn = (at: number) => at + 2

export function Head({ field, form, isDivided, at, sort, onSort }: Shown & { at: number; sort: Sort[]; onSort: ((event: unknown) => void) | undefined }) {
  const place = sort.findIndex((key) => key.field === field.id)
  const key = sort[place]
  const words = directionWords(field)
  return (
    <th scope="col" aria-colindex={placeIn(at)} className={join(isFigure(field) && css.num, key && css.isSorted, isDivided && css.divided)}
      aria-sort={key ? (key.dir === 'asc' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className={css.head} onClick={onSort} title={`${field.id}\n${field.help}${words ? `\n${words}` : ''}`}>
        <span>
          {shortName(field)} {key && <span className="mid" aria-hidden="true">{key.dir === 'asc' ? '▴' : '▾'}{sort.length > 1 && <sup>{place + 1}</sup>}</span>}
          {key && sort.length > 1 && <span className="sr">sort key {place + 1}</span>}
        </span>
        <small>{field.type === 'time' ? 'UTC' : form.unit} {arrow(field) && <span aria-hidden="true">{arrow(field)}</span>}<span className="sr">{words}</span></small>
      </button>
    </th>
  )
}

interface RowProps {
  row: Row
  index: number
  at: number
  across: Across
  onFocus: (index: number) => void
}

export const RowView = memo(function RowView({ row, index, at, across, onFocus }: RowProps) {
  return (
    <tr className={row.simulated ? css.simulated : undefined} aria-rowindex={at} data-row={index} data-id={row.id} onFocus={() => onFocus(index)}>
      <th className={css.pin} scope="row" aria-colindex={1}>
        <div className={css.name}>
          <Link className="clip" href={paths.experiment(row.id)} title={row.run_id ?? undefined}><bdi>{nameOf(row)}</bdi></Link>
          {row.simulated && <Simulated />}
        </div>
      </th>
      {across.widths && <td className={css.gap} aria-hidden="true" />}
      {across.drawn.map(({ column, at: place }) => <CellView key={column.field.id} row={row} at={place} {...column} />)}
      {across.widths && <td className={css.gap} aria-hidden="true" />}
    </tr>
  )
})

function CellView({ row, field, form, top, isDivided, at }: Shown & { row: Row; at: number }) {
  const value = row.cells[field.id]
  const look = join(isFigure(field) && css.num, isDivided && css.divided)
  const place = { className: look, 'aria-colindex': placeIn(at) }
  if (field.id === VERDICT) return <td {...place}><Verdict verdict={row.verdict} /></td>
  if (value === undefined || value === null) return <td {...place}><Nothing of={value} /></td>
  return (
    <td {...place} title={`${rawValue(value)} ${field.unit}\n${field.id}`}>
      {top > 0 && typeof value === 'number' && <span className={css.bar} style={{ width: Math.round((value / top) * BAR_PX) }} />}
      <bdi>{briefly(field, showValue(field, value, form))}</bdi>
    </td>
  )
}
