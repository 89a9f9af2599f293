// The map of a sweep: a table whose cells are links. One cell is a tab stop; the arrow keys move from it, also into the
// next map.
import { type KeyboardEvent, memo, type MouseEvent, type SyntheticEvent, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'

import { type Colours, rampAt, useColours } from '../chart/colours'
import { inkOn } from '../chart/tint'
import { type Form, showNumber } from '../format/number'
import { verdictWord } from '../format/value'
import { paths } from '../url/paths'
import { SlotMark } from './curves'
import {
  type Cell,
  type Facet,
  type Input,
  KIND_WORDS,
  kindOf,
  type Scale,
  shareOf,
  shortKey,
  valueWords,
} from './model'
import css from './sweeps.module.css'

export interface Drawn {
  facets: Facet[]
  x: Input | undefined
  y: Input | undefined
  keys: string[] // all that vary
  scale: Scale | null
  form: Form
  isMixed: boolean // some are simulated and some are not
  best: string | undefined // the cell that is best within the limit
  beyond: Set<string> // ids of the cells beyond the limit
  slotOf: ((cell: Cell) => number | undefined) | undefined // color and shape of its configuration
}

interface Props extends Drawn {
  onRead: (cell: Cell) => void
  onTrouble: (run: string) => void // the list below shows its cause
}

const resultOf = (cell: Cell) => cell.runs.find(({ experiment }) => experiment !== null)
const troubleOf = (cell: Cell) => cell.runs.find(({ cause, message }) => cause !== null || message !== null)
export const rowId = (run: string) => `run-${run}`

// Links to the experiment, or to the list below if there is none.
function hrefOf(cell: Cell) {
  const result =
    cell.kind === 'failed'
      ? (cell.runs.find(({ experiment, cause, message }) => experiment !== null && (cause ?? message) !== null) ??
        resultOf(cell))
      : resultOf(cell)
  if (result?.experiment != null) return paths.experiment(result.experiment)
  return cell.kind === 'failed' || cell.kind === 'skipped' ? `#${rowId(cell.runs[0]?.run ?? '')}` : undefined
}

function wordsOf(cell: Cell, { keys, form, best, beyond }: Pick<Drawn, 'keys' | 'form' | 'best' | 'beyond'>) {
  const place = keys
    .filter((key) => key in cell.point)
    .map((key) => `${shortKey(key, keys)} ${valueWords(cell.point[key])}`)
    .join(', ')
  const trouble = cell.kind === 'failed' || cell.kind === 'skipped' ? troubleOf(cell) : undefined
  const result = resultOf(cell)
  const told =
    cell.value !== null
      ? `${showNumber(cell.value, form)} ${form.unit}`
      : cell.kind === 'done'
        ? 'no value'
        : KIND_WORDS[cell.kind]
  return [
    place || cell.label,
    `: ${told.trim()}`,
    trouble ? `, ${trouble.cause ?? trouble.message}` : '',
    result?.verdict ? `, ${verdictWord(result.verdict)}` : '',
    result?.simulated ? ', simulated' : '',
    beyond.has(cell.id) ? ', does not meet the limit' : cell.id === best ? ', best within the limit' : '',
  ].join('')
}

const isUntrusted = (cell: Cell) => cell.runs.some(({ verdict }) => verdict !== null && verdict !== 'trusted')

function look(cell: Cell, scale: Scale | null, colours: Colours) {
  if (cell.value === null || !scale) return undefined
  const background = rampAt(colours, shareOf(scale, cell.value))
  return { background, color: inkOn(background) }
}

function CellBox({ cell, drawn, colours, isFirst }: { cell: Cell; drawn: Drawn; colours: Colours; isFirst: boolean }) {
  const isFaulty = cell.runs.some(({ status }) => status !== null && kindOf({ status }) === 'failed')
  const shared = {
    className: css.cell,
    'data-cell': cell.id,
    'data-kind': cell.kind,
    'aria-label': wordsOf(cell, drawn),
    tabIndex: isFirst ? 0 : -1,
    'data-untrusted': isUntrusted(cell) || undefined,
    'data-simulated': (drawn.isMixed && cell.runs.some(({ simulated }) => simulated)) || undefined,
    'data-faulty': (isFaulty && cell.kind !== 'failed') || undefined,
    'data-best': cell.id === drawn.best || undefined,
    'data-beyond': drawn.beyond.has(cell.id) || undefined,
    style: look(cell, drawn.scale, colours),
  }
  const text =
    cell.value !== null ? showNumber(cell.value, drawn.form) : cell.kind === 'done' ? '–' : KIND_WORDS[cell.kind]
  const href = hrefOf(cell)
  return href === undefined ? (
    <span role="link" aria-disabled="true" {...shared}>
      {text}
    </span>
  ) : (
    <a href={href} {...shared}>
      {text}
    </a>
  )
}

// The configuration of a row, if all its cells have the same one.
const RowMark = ({ slots: [slot, ...others] }: { slots: (number | undefined)[] }) =>
  slot !== undefined && others.every((other) => other === slot) ? <SlotMark slot={slot} /> : null

function FacetMap({
  facet,
  drawn,
  colours,
  isFirst,
}: {
  facet: Facet
  drawn: Drawn
  colours: Colours
  isFirst: boolean
}) {
  const { x, y, keys, slotOf } = drawn
  const title = facet.values.map(([key, value]) => `${shortKey(key, keys)} ${valueWords(value)}`).join(' · ')
  const lines = facet.rows
    .map((cells, i) => ({ cells, value: y?.values[i] }))
    .filter(({ cells }) => cells.some(Boolean))
  const first = isFirst ? lines[0]?.cells.find(Boolean) : undefined
  return (
    <section className={css.facet} aria-label={title || 'All combinations'}>
      {title && <h2>{title}</h2>}
      <div className={`fades ${css.scroll}`}>
        <table
          className={css.map}
          aria-label={`${title ? `${title}, ` : ''}${y ? `${shortKey(y.key, keys)} by ` : ''}${x ? shortKey(x.key, keys) : 'combinations'}`}
        >
          <thead>
            {x && (
              <tr>
                <td className={css.corner} />
                <th scope="colgroup" colSpan={x.values.length} className={css.across}>
                  {shortKey(x.key, keys)} →
                </th>
              </tr>
            )}
            <tr>
              <td className={css.corner}>{y && `${shortKey(y.key, keys)} ↓`}</td>
              {(x?.values ?? [undefined]).map((value, i) =>
                x ? (
                  <th key={i} scope="col">
                    {valueWords(value)}
                  </th>
                ) : (
                  <td key={i} />
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ cells, value }, i) => (
              <tr key={i}>
                {y ? (
                  <th scope="row" title={valueWords(value)}>
                    <RowMark slots={cells.flatMap((cell) => (cell && slotOf ? [slotOf(cell)] : []))} />
                    {valueWords(value)}
                  </th>
                ) : (
                  <td />
                )}
                {cells.map((cell, k) => (
                  <td key={k}>
                    {cell && <CellBox cell={cell} drawn={drawn} colours={colours} isFirst={cell === first} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const STEPS: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}
const boxOf = (target: EventTarget) => (target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null)

// Returns the next cell in that direction. It skips positions without a cell, and continues in the next map after the
// last row.
function next(root: HTMLElement, from: HTMLElement, [down, right]: [number, number]) {
  const place = from.closest('td') as HTMLTableCellElement
  const rows = [...root.querySelectorAll<HTMLTableRowElement>('tbody tr')]
  const at = rows.indexOf(place.parentElement as HTMLTableRowElement)
  for (let row = at + down, column = place.cellIndex + right; ; row += down, column += right) {
    const line = rows[row]
    if (!line || column < 1 || column >= line.cells.length) return null
    const box = line.cells[column]?.querySelector<HTMLElement>('[data-cell]')
    if (box) return box
  }
}

function SweepMapOf({ onRead, onTrouble, ...drawn }: Props) {
  const colours = useColours()
  const [, navigate] = useLocation()
  const root = useRef<HTMLDivElement>(null)
  const byId = useMemo(
    () =>
      new Map(
        drawn.facets
          .flatMap(({ rows }) => rows.flat())
          .flatMap((cell): [string, Cell][] => (cell ? [[cell.id, cell]] : [])),
      ),
    [drawn.facets],
  )
  const read = (event: SyntheticEvent) => {
    const cell = byId.get(boxOf(event.target)?.dataset['cell'] ?? '')
    if (cell) onRead(cell)
  }
  const focus = (event: SyntheticEvent) => {
    const box = boxOf(event.target)
    if (!box || box.tabIndex === 0) return read(event)
    for (const other of root.current?.querySelectorAll<HTMLElement>('[data-cell][tabindex="0"]') ?? [])
      other.tabIndex = -1
    box.tabIndex = 0
    read(event)
  }
  const press = (event: KeyboardEvent) => {
    const box = boxOf(event.target)
    if (!box || !root.current || event.altKey || event.ctrlKey || event.metaKey) return
    const all = root.current.querySelectorAll<HTMLElement>('[data-cell]')
    const to =
      event.key in STEPS
        ? next(root.current, box, STEPS[event.key] as [number, number])
        : event.key === 'Home'
          ? all[0]
          : event.key === 'End'
            ? all[all.length - 1]
            : undefined
    if (to === undefined) return
    event.preventDefault()
    to?.focus()
  }
  const open = (event: MouseEvent) => {
    const href = boxOf(event.target)?.getAttribute('href')
    if (!href || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    if (href.startsWith('/')) navigate(href)
    else onTrouble(href.slice(rowId('').length + 1))
  }
  return (
    <div ref={root} className={css.maps} onMouseOver={read} onFocus={focus} onKeyDown={press} onClick={open}>
      {drawn.facets.map((facet, i) => (
        <FacetMap key={i} facet={facet} drawn={drawn} colours={colours} isFirst={i === 0} />
      ))}
    </div>
  )
}

// Pointing at a cell changes only the reading.
export const SweepMap = memo(SweepMapOf)
