// Heads and cells of the table.
import { memo } from 'react'

import type { Row, Sort } from '../api/types'
import { shortName } from '../fields/catalogue'
import { directionWords } from '../filter/words'
import { arrow } from '../format/number'
import { isFigure, nameOf, rawValue } from '../format/value'
import type { RowName } from '../names/rows'
import { Bone, join } from '../ui/controls'
import { Padding } from '../ui/figure'
import { SortMark } from '../ui/icons'
import { RowLink } from '../ui/row-link'
import { Nothing, RowVerdict, Simulated } from '../ui/verdict'
import { paths } from '../url/paths'
import { type Across, BAR_PX, type Drawn, textIn, VERDICT } from './grid-columns'
import { WidthHandle } from './grid-widths'
import css from './grid.module.css'
import { dirWords } from './sort-words'

// aria-colindex counts from 1, and the first column has the names.
const placeIn = (at: number) => at + 2

const stuck = ({ left }: Drawn) => (left === null ? undefined : { left })

export function Head({
  sort,
  onSort,
  ...drawn
}: Drawn & { sort: Sort[]; onSort: ((event: unknown) => void) | undefined }) {
  const {
    column: { field, form, isDivided },
    at,
    px,
    left,
  } = drawn
  const place = sort.findIndex((key) => key.field === field.id)
  const key = sort[place]
  const words = directionWords(field)
  return (
    <th
      scope="col"
      aria-colindex={placeIn(at)}
      style={stuck(drawn)}
      className={join(
        isFigure(field) && css.num,
        key && css.isSorted,
        isDivided && css.divided,
        left !== null && css.stuck,
      )}
      aria-sort={key ? (key.dir === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        className={css.head}
        tabIndex={-1}
        onClick={onSort}
        title={[field.id, field.help, words, key && `sorted, ${dirWords(field, key.dir)}`].filter(Boolean).join('\n')}
      >
        <span>
          {shortName(field)}{' '}
          {key && (
            <span className="mid" aria-hidden="true">
              <SortMark dir={key.dir} />
              {sort.length > 1 && <sup>{place + 1}</sup>}
            </span>
          )}
          {key && sort.length > 1 && <span className="sr">sort key {place + 1}</span>}
        </span>
        <small>
          {field.type === 'time' ? 'UTC' : form.unit} {arrow(field) && <span aria-hidden="true">{arrow(field)}</span>}
          <span className="sr">{words}</span>
        </small>
      </button>
      <WidthHandle of={field.id} px={px} />
    </th>
  )
}

interface RowProps {
  row: Row
  name: RowName | undefined // where its own name does not tell it apart
  index: number
  across: Across
  isSelected: boolean
  slot: string | undefined // its letter in the comparison
  onSelect: (index: number) => void
  onPin: (index: number) => void
}

export const RowView = memo(function RowView({
  row,
  name,
  index,
  across,
  isSelected,
  slot,
  onSelect,
  onPin,
}: RowProps) {
  return (
    <tr
      className={join(row.simulated === true && css.simulated, isSelected && css.isSelected)}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-row={index}
      data-id={row.id}
    >
      <th className={css.pin} scope="row" aria-colindex={1}>
        <div className={css.name}>
          <input
            type="checkbox"
            tabIndex={-1}
            className={css.box}
            checked={isSelected}
            aria-label={nameOf(row)}
            title="Select (x)"
            onChange={() => onSelect(index)}
          />
          <RowLink
            className="clip"
            tabIndex={-1}
            href={paths.experiment(row.id)}
            title={[name?.full, row.run_id].filter(Boolean).join('\n') || undefined}
            aria-label={name && `${name.short}, ${name.full}`}
          >
            <bdi>{name?.short ?? nameOf(row)}</bdi>
            {name?.own && (
              <>
                {' '}
                <bdi className={css.own}>{name.own}</bdi>
              </>
            )}
          </RowLink>
          {row.simulated && <Simulated />}
          <button
            type="button"
            tabIndex={-1}
            className={css.slot}
            data-on={slot}
            aria-label={slot ? `Unpin ${slot}: ${nameOf(row)}` : `Pin to compare: ${nameOf(row)}`}
            title="Pin to compare (p)"
            onClick={() => onPin(index)}
          >
            {slot}
          </button>
        </div>
      </th>
      {across.pinned.map((drawn) => (
        <CellView key={drawn.column.field.id} row={row} drawn={drawn} />
      ))}
      {across.before > 0 && <td className={css.gap} aria-hidden="true" />}
      {across.drawn.map((drawn) => (
        <CellView key={drawn.column.field.id} row={row} drawn={drawn} />
      ))}
      <td className={css.gap} aria-hidden="true" />
    </tr>
  )
})

// A row that is not here yet.
export const BoneRow = memo(function BoneRow({ index }: { index: number }) {
  return (
    <tr aria-rowindex={index + 2} aria-busy="true" data-row={index}>
      <th className={css.pin} scope="row" aria-colindex={1}>
        <Bone width={120 + ((index * 37) % 90)} />
      </th>
    </tr>
  )
})

function CellView({ row, drawn }: { row: Row; drawn: Drawn }) {
  const { column, at, left } = drawn
  const { field, form, top, isDivided } = column
  const value = row.cells[field.id]
  const look = join(isFigure(field) && css.num, isDivided && css.divided, left !== null && css.stuck)
  const place = { className: look, style: stuck(drawn), 'aria-colindex': placeIn(at) }
  if (field.id === VERDICT)
    return (
      <td {...place}>
        <RowVerdict row={row} />
      </td>
    )
  if (value === undefined || value === null)
    return (
      <td {...place}>
        <Nothing of={value} field={field} />
      </td>
    )
  return (
    <td {...place} title={`${rawValue(value)} ${field.unit}\n${field.id}`}>
      {top > 0 && typeof value === 'number' && (
        <span className={css.bar} style={{ width: Math.min(BAR_PX, Math.round((value / top) * BAR_PX)) }} />
      )}
      <bdi>{textIn(column, value)}</bdi>
      <Padding value={value} form={form} />
    </td>
  )
}
