// The data of the chart as a table in pages, for the keyboard and for screen readers.
import { useMemo, useState } from 'react'
import { Link } from 'wouter'

import { count } from '../format/number'
import type { RowName } from '../names/rows'
import { Button, join } from '../ui/controls'
import { Verdict } from '../ui/verdict'
import { paths } from '../url/paths'
import { captionOf } from './caption'
import css from './data-table.module.css'
import { aboutOf, type Chart } from './items'
import { useItemNames } from './point-name'
import { columnsOf } from './table'

const PAGE = 200

export function DataTable({ chart, label }: { chart: Chart; label: string }) {
  const [wanted, setPage] = useState(0)
  const columns = columnsOf(chart)
  const pages = Math.max(1, Math.ceil(chart.items.length / PAGE))
  const page = Math.min(wanted, pages - 1)
  const items = useMemo(() => chart.items.slice(page * PAGE, (page + 1) * PAGE), [chart, page])
  const names = useItemNames(chart, items)
  return (
    <>
      <div
        className={`fades ${css.table ?? ''}`}
        tabIndex={0}
        role="group"
        aria-label={`Table of the chart, ${count(chart.items.length)} rows`}
      >
        <table aria-rowcount={chart.items.length + 1}>
          <caption className="sr">
            {label}. {captionOf(chart)}
          </caption>
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th key={i} scope="col" className={join(column.isFigure && css.num)}>
                  {headWords(column.head)} <span className="dim">{column.unit}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item, row) => (
              <tr key={row} aria-rowindex={page * PAGE + row + 2}>
                {columns.map((column, i) => (
                  <td key={i} className={join(column.isFigure && css.num)}>
                    {i === 0 && item.id !== null ? (
                      <Name id={item.id} own={column.show(item)} name={names.get(item.id)} />
                    ) : column.isVerdict ? (
                      <Verdict verdict={aboutOf(chart.answer)?.verdict[item.at]} />
                    ) : (
                      <bdi>{column.show(item)}</bdi>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <p className={css.foot}>
          Rows {count(page * PAGE + 1)}–{count(page * PAGE + items.length)} of {count(chart.items.length)}
          <Button look="low" isDisabled={page === 0} onPress={() => setPage(page - 1)}>
            Previous
          </Button>
          <Button look="low" isDisabled={page === pages - 1} onPress={() => setPage(page + 1)}>
            Next
          </Button>
        </p>
      )}
    </>
  )
}

// Words begin with a capital letter; symbols such as n and p95 stay.
const headWords = (head: string) =>
  head === 'id' ? 'ID' : /^[a-z]{3}/.test(head) ? head.charAt(0).toUpperCase() + head.slice(1) : head

function Name({ id, own, name }: { id: number; own: string; name: RowName | undefined }) {
  return (
    <Link href={paths.experiment(id)} {...(name && { title: name.full, 'aria-label': `${name.short}, ${name.full}` })}>
      <bdi>{name?.short ?? own}</bdi>
    </Link>
  )
}
