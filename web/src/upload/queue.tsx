// The files of an upload. Only visible rows are rendered.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { Upload } from '../api/types'
import { type ItemPage, ITEMS_A_PAGE, useItems } from '../api/uploads'
import { count } from '../format/number'
import { join, Segment } from '../ui/controls'
import page from '../ui/page.module.css'
import { ItemRow } from './item'
import { LocalRow } from './local-row'
import { countOf, type Only, placesOf, type Row, rowsOf, sectionsOf } from './rows'
import type { Entry, Sender } from './sender'
import css from './upload.module.css'

const ROW_PX = 33
const OVERSCAN = 10
const CHOICES: [Only, string][] = [
  ['unsent', 'Not sent'],
  ['conflict', 'Conflict'],
  ['rejected', 'Rejected'],
  ['duplicate', 'Duplicate'],
  ['passed', 'Skipped'],
]
const HEADS = ['State', 'File', 'Size', 'Format', 'Result']

interface Props {
  job: Upload | undefined
  sender: Sender | undefined
  entries: Entry[]
}

// The pages of items that the visible rows need.
function pagesOf(rows: (Row | undefined)[]): ItemPage[] {
  const pages = new Map<string, ItemPage>()
  for (const row of rows) {
    if (row?.of !== 'server') continue
    const at = Math.floor(row.offset / ITEMS_A_PAGE)
    pages.set(`${row.state} ${at}`, { state: row.state, page: at })
  }
  return [...pages.values()]
}

export function Queue({ job, sender, entries }: Props) {
  const [wanted, setOnly] = useState<Only>('all')
  const [opened, setOpened] = useState<ReadonlyMap<number, boolean>>(new Map())
  const body = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const sections = useMemo(() => sectionsOf(job?.counts, entries), [job?.counts, entries])
  const choices = CHOICES.filter(([only]) => countOf(sections, only) > 0)
  const only = choices.some(([one]) => one === wanted) ? wanted : 'all'
  const rows = rowsOf(sections, only)
  useLayoutEffect(() => {
    setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  })
  const virtual = useWindowVirtualizer({
    count: rows.count,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
  })
  const drawn = virtual.getVirtualItems()
  const itemAt = useItems(job?.job_id ?? '', pagesOf(drawn.map(({ index }) => rows.at(index))))
  const found = drawn.map(({ index }) => {
    const row = rows.at(index)
    return row?.of === 'server' ? itemAt(row.state, row.offset) : undefined
  })
  const places = placesOf(found)
  const before = (drawn[0]?.start ?? top) - top
  const after = virtual.getTotalSize() - ((drawn.at(-1)?.end ?? top) - top)
  if (rows.count === 0) return null
  return (
    <section className={page.block} aria-label="Files">
      <div className={page.blockHead}>
        <h2>Files</h2>
        <p>Errors and conflicts first</p>
        {choices.length > 0 && (
          <span className={join(page.end, css.only)}>
            <Segment
              label="Filter files"
              value={only}
              onChange={(value) => setOnly(value as Only)}
              options={[
                ['all', `All ${count(countOf(sections, 'all'))}`],
                ...choices.map(([one, word]): [string, string] => [one, `${word} ${count(countOf(sections, one))}`]),
              ]}
            />
          </span>
        )}
      </div>
      <div role="table" aria-label="Files of this upload" aria-rowcount={rows.count + 1} className={css.queue}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={css.heads}>
            {HEADS.map((head) => (
              <span key={head} role="columnheader" className={head === 'Size' ? css.size : undefined}>
                {head}
              </span>
            ))}
            <span role="columnheader">
              <span className="sr">Actions</span>
            </span>
          </div>
        </div>
        <div role="rowgroup" ref={body} style={{ paddingTop: Math.max(0, before), paddingBottom: Math.max(0, after) }}>
          {drawn.map(({ index, key }, place) => {
            const row = rows.at(index)
            const at = { index, measure: virtual.measureElement }
            if (row?.of === 'page')
              return <LocalRow key={`page ${row.entry.key}`} {...at} entry={row.entry} sender={sender as Sender} />
            const item = places.has(place) ? found[place]?.item : undefined
            if (!item || !job)
              return (
                <div
                  key={`bone ${String(key)}`}
                  role="row"
                  aria-rowindex={index + 2}
                  ref={virtual.measureElement}
                  data-index={index}
                  className={css.row}
                >
                  <span role="cell" className="dim">
                    …
                  </span>
                </div>
              )
            return (
              <ItemRow
                key={`item ${item.index}`}
                {...at}
                job={job}
                item={item}
                isOpen={opened.get(item.index)}
                onOpen={(open) => setOpened(new Map(opened).set(item.index, open))}
              />
            )
          })}
        </div>
      </div>
    </section>
  )
}
