// Cards instead of rows on a phone: the values of the columns, the usual ones in fixed places.
import { useRef } from 'react'
import { Link } from 'wouter'

import type { ApplyResponse, PageRequest, Row, Sort } from '../api/types'
import { CARD_FACTS, type Catalogue, longName, shortName } from '../fields/catalogue'
import { count, formFor } from '../format/number'
import { briefly, nameOf, rawValue, showValue } from '../format/value'
import { join } from '../ui/controls'
import { rowNames } from '../names/rows'
import { useTray } from '../tray/store'
import { Nothing, RowVerdict, Simulated } from '../ui/verdict'
import { DEFAULT_SORT, writeSort } from '../url/explore'
import { paths } from '../url/paths'
import { usePlace, useRowFocus } from '../url/use-place'
import explore from './explore.module.css'
import { contentOf, VERDICT } from './grid-columns'
import css from './grid.module.css'

const FIGURES_MAX = 12

// A card includes the sort field, even if it is not a column.
export function cardColumns(catalogue: Catalogue, columns: string[], sort: Sort[]) {
  const first = sort[0]?.field
  const isTold =
    first === undefined ||
    columns.includes(first) ||
    !catalogue.byId.has(first) ||
    writeSort(sort) === writeSort(DEFAULT_SORT)
  return isTold ? columns : [first, ...columns]
}

function facts(catalogue: Catalogue, row: Row, columns: string[], sort: Sort[]) {
  return CARD_FACTS.flatMap((id) => {
    const value = row.cells[id]
    if (!columns.includes(id) || value === undefined || value === null) return []
    const field = catalogue.get(id)
    const whole = showValue(field, value, formFor(field, []))
    const text = sort.some((key) => key.field === id) ? whole : briefly(field, whole)
    return [id === 'server.tensor_parallel_size' ? `TP ${text}` : text]
  }).join(' · ')
}

interface Props {
  catalogue: Catalogue
  answer: ApplyResponse & { request: PageRequest }
  columns: string[]
  isWaiting: boolean
  slots: ReadonlyMap<number, string>
}

export function Cards({ catalogue, answer, columns, isWaiting, slots }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const giveFocus = useRowFocus(list)
  const keepRow = usePlace({ content: contentOf(answer.request), isReady: !isWaiting, onRow: giveFocus })
  const all = cardColumns(catalogue, columns, answer.request.sort ?? []).filter(
    (id) => id !== VERDICT && !CARD_FACTS.includes(id),
  )
  const figures = all.slice(0, FIGURES_MAX).map((id) => {
    const field = catalogue.get(id)
    return {
      field,
      form: formFor(
        field,
        answer.rows.map((row) => row.cells[id]),
      ),
    }
  })
  const names = rowNames(answer.rows, catalogue)
  return (
    <>
      {all.length > FIGURES_MAX && (
        <p className={css.cardsNote}>
          A card shows the first {FIGURES_MAX} of {count(all.length)} columns.
        </p>
      )}
      <ul ref={list} className={join(css.cards, isWaiting && explore.waiting)}>
        {answer.rows.map((row) => (
          <li
            key={row.id}
            data-id={row.id}
            className={row.simulated ? css.simulated : undefined}
            onFocus={() => keepRow(row.id)}
          >
            <div className={css.top}>
              <Link
                className={css.cardName}
                href={paths.experiment(row.id)}
                aria-label={names.has(row.id) ? `${names.get(row.id)?.short}, ${names.get(row.id)?.full}` : undefined}
              >
                <bdi>{names.get(row.id)?.short ?? nameOf(row)}</bdi>
              </Link>
              {row.simulated && <Simulated />}
              {columns.includes(VERDICT) && (
                <span className={css.end}>
                  <RowVerdict row={row} />
                </span>
              )}
              <button
                type="button"
                className={css.slot}
                data-on={slots.get(row.id)}
                aria-label={
                  slots.has(row.id) ? `Unpin ${slots.get(row.id)}: ${nameOf(row)}` : `Pin to compare: ${nameOf(row)}`
                }
                onClick={() => useTray.getState().toggle({ ids: [row.id] }, nameOf(row))}
              >
                {slots.get(row.id)}
              </button>
            </div>
            <p className={`clip ${css.by ?? ''}`}>
              <bdi>{facts(catalogue, row, columns, answer.request.sort ?? []) || row.run_id}</bdi>
            </p>
            {figures.length > 0 && (
              <dl>
                {figures.map(({ field, form }) => {
                  const value = row.cells[field.id]
                  return (
                    <div key={field.id}>
                      <dt className="clip" title={longName(field)}>
                        {shortName(field)}
                      </dt>
                      <dd className={join(css.num, 'clip')} title={rawValue(value)}>
                        {value === undefined || value === null ? (
                          <Nothing of={value} field={field} />
                        ) : (
                          <>
                            <bdi>{briefly(field, showValue(field, value, form))}</bdi> <small>{form.unit}</small>
                          </>
                        )}
                      </dd>
                    </div>
                  )
                })}
              </dl>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
