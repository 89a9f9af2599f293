// Curves next to the map: a point per combination, a line per configuration, and the best one within a limit.
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'

import type { Field } from '../api/types'
import { shapeOf } from '../chart/shapes'
import { shortName } from '../fields/catalogue'
import { formFor, plainNumber, showNumber } from '../format/number'
import { readQuantity } from '../format/read'
import { tickWords } from '../format/ticks'
import { verdictWord } from '../format/value'
import type { DistinctName } from '../names/names'
import { Button, Field as TextField, join, Select } from '../ui/controls'
import page from '../ui/page.module.css'
import { Icon } from '../ui/icons'
import { useWidth } from '../ui/use-width'
import { paths } from '../url/paths'
import { axisOf, bestOf, type CurvePoint, type Curves as Model, isWithin, type Line } from './curves-model'
import { type Cell, shortKey, valueWords } from './model'
import css from './sweeps.module.css'

const HIGH = 300
const LEFT = 52
const TOP = 22
const BOTTOM = 34
const RIGHT = 14
const EDGE = 18 // a tick closer to the right edge ends there
const NAMED = 12 // lines that the legend names

const slotColour = (slot: number) => (slot < 0 ? 'var(--text-3)' : `var(--s${slot + 1})`)
export const SlotMark = ({ slot }: { slot: number }) => (
  <svg className={css.slot} viewBox="-6 -6 12 12" aria-hidden="true">
    <path d={shapeOf(slot)} fill={slotColour(slot)} />
  </svg>
)

export const limitText = (field: Field, limit: number) => {
  const form = formFor(field, [limit])
  return `${shortName(field)} ${field.direction === 'higher' ? '≥' : '≤'} ${plainNumber(limit, form)} ${form.unit}`.trim()
}

interface AxisChoice {
  field: Field
  options: [id: string, words: string][]
  onChange: (id: string) => void
}

interface Props {
  model: Model
  names: DistinctName[] // of its lines
  x: AxisChoice
  y: AxisChoice
  limit: number | null
  onLimit: (limit: number | null) => void
  onRead: (cell: Cell) => void
  shown: string | null // the cell that is read
}

const experimentOf = ({ cell }: CurvePoint) => cell.runs.find(({ experiment }) => experiment !== null)?.experiment
const STEPS: Record<string, [line: number, point: number]> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
}

export function Curves(props: Props) {
  const { model, names, x, y, limit } = props
  const [isTable, setTable] = useState(false)
  const lines = model.lines.filter(({ points }) => points.length > 0)
  const isLower = x.field.direction !== 'higher'
  const best = bestOf(lines, limit, isLower)
  const name = (line: Line) => names[model.lines.indexOf(line)] ?? { short: '', full: '' }
  return (
    <section className={css.curves} aria-label="Curves">
      <div className={css.tools}>
        <label>
          x axis <Select label="x axis" value={x.field.id} onChange={x.onChange} options={x.options} />
        </label>
        <label>
          y axis <Select label="y axis" value={y.field.id} onChange={y.onChange} options={y.options} />
        </label>
        <Limit key={`${x.field.id} ${limit}`} field={x.field} isLower={isLower} limit={limit} onLimit={props.onLimit} />
        {lines.length > 0 && (
          <span className={css.end}>
            <Button onPress={() => setTable(!isTable)}>
              <Icon name="table" /> {isTable ? 'Show curves' : 'Show table'}
            </Button>
          </span>
        )}
      </div>
      {lines.length === 0 ? (
        <p className={join('dim', css.noCurves)}>
          No combination has both {shortName(x.field)} and {shortName(y.field)} yet. Choose other axes.
        </p>
      ) : isTable ? (
        <PointTable {...props} lines={lines} name={name} best={best} isLower={isLower} />
      ) : (
        <Plot {...props} lines={lines} name={name} best={best} isLower={isLower} />
      )}
      {lines.length > 0 && <Best best={best} {...props} lines={lines} name={name} isLower={isLower} />}
    </section>
  )
}

// Accepts "500", "500ms" and "0.5 s". An empty text removes the limit.
function Limit({
  field,
  isLower,
  limit,
  onLimit,
}: {
  field: Field
  isLower: boolean
  limit: number | null
  onLimit: (limit: number | null) => void
}) {
  const [text, setText] = useState(limit === null ? '' : String(limit))
  const read = readQuantity(field, text)
  const fault =
    'fault' in read
      ? read.fault
      : read.value !== null && !(read.value > 0 && Number.isFinite(read.value))
        ? 'Enter a number above 0.'
        : undefined
  const apply = () => {
    if (!fault && 'value' in read && read.value !== limit) onLimit(read.value)
  }
  return (
    <label title={fault}>
      {shortName(field)} {isLower ? '≤' : '≥'}{' '}
      <span className={css.limit}>
        <TextField
          label={`Limit of ${shortName(field)}, ${field.unit}`}
          number
          value={text}
          invalid={fault !== undefined}
          onChange={(event) => setText(event.target.value)}
          onBlur={apply}
          onKeyDown={(event) => {
            if (event.key === 'Enter') apply()
          }}
        />
        {field.unit}
      </span>
    </label>
  )
}

interface DrawProps extends Props {
  lines: Line[]
  name: (line: Line) => DistinctName
  best: CurvePoint | undefined
  isLower: boolean
}

const formsOf = ({ x, y, lines }: Pick<DrawProps, 'x' | 'y' | 'lines'>) => {
  const points = lines.flatMap((line) => line.points)
  return {
    x: formFor(
      x.field,
      points.map((point) => point.x),
    ),
    y: formFor(
      y.field,
      points.map((point) => point.y),
    ),
  }
}
const isSimulated = ({ cell }: CurvePoint) => cell.runs.some(({ simulated }) => simulated)
const loadWords = (model: Model, point: CurvePoint) =>
  model.load ? `${shortKey(model.load.key, [])} ${valueWords(point.load)}` : ''

function Best({ best, model, lines, name, x, y, limit, isLower }: DrawProps) {
  const forms = formsOf({ x, y, lines })
  const line = lines.find(({ points }) => best && points.includes(best))
  const edge =
    limit === null
      ? ''
      : `${shortName(x.field)} ${isLower ? '≤' : '≥'} ${plainNumber(limit, forms.x)} ${forms.x.unit}`.trim()
  return (
    <p className={css.best} role="status">
      {best && line ? (
        <>
          <b>
            Best {shortName(y.field)} with {edge}:
          </b>{' '}
          <SlotMark slot={line.slot} />
          {[name(line).short, loadWords(model, best)].filter(Boolean).join(', ')}:{' '}
          <span className={css.value}>
            <span className="n">{showNumber(best.y, forms.y)}</span> {forms.y.unit}
          </span>
        </>
      ) : limit === null ? (
        'Set a limit to mark the best combination within it.'
      ) : (
        `No trusted combination has ${edge}.`
      )}
    </p>
  )
}

function Plot({ model, lines, name, x, y, limit, best, isLower, shown, onRead }: DrawProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box, 520)
  const [, navigate] = useLocation()
  const clip = useId()
  const [current, setCurrent] = useState<string | null>(null)
  const forms = formsOf({ x, y, lines })
  const points = lines.flatMap((line) => line.points)
  const across = axisOf([...points.map((point) => point.x), ...(limit === null ? [] : [limit])], true)
  const up = axisOf(
    points.map((point) => point.y),
    false,
  )
  const [acrossWords, upWords] = [tickWords(across.ticks, forms.x, across), tickWords(up.ticks, forms.y, up)]
  const plotRight = Math.max(LEFT + 60, width - RIGHT)
  const px = (value: number) => LEFT + across.at(value) * (plotRight - LEFT)
  const py = (value: number) => HIGH - BOTTOM - up.at(value) * (HIGH - BOTTOM - TOP)
  const tab = current ?? (best ?? points[0])?.cell.id
  const edge = limit === null ? null : px(limit)
  const words = (line: Line, point: CurvePoint) => {
    const verdict = point.cell.runs.find((run) => run.verdict !== null)?.verdict
    return [
      `${[name(line).short, loadWords(model, point)].filter(Boolean).join(', ')}: ${shortName(x.field)} ${showNumber(point.x, forms.x)} ${forms.x.unit}`,
      `${showNumber(point.y, forms.y)} ${forms.y.unit}`,
      ...(verdict && verdict !== 'trusted' ? [verdictWord(verdict)] : []),
      ...(point === best ? ['best within the limit'] : []),
    ].join(', ')
  }
  const press = (event: KeyboardEvent<SVGGElement>) => {
    const at = (event.target as Element).closest('[data-point]')?.getAttribute('data-point')
    const row = lines.findIndex((line) => line.points.some(({ cell }) => cell.id === at))
    const own = lines[row]?.points ?? []
    const column = own.findIndex(({ cell }) => cell.id === at)
    const step = STEPS[event.key]
    if (event.key === 'Enter') {
      const experiment = own[column] && experimentOf(own[column])
      if (experiment != null) navigate(paths.experiment(experiment))
      return
    }
    if (!step && event.key !== 'Home' && event.key !== 'End') return
    event.preventDefault()
    const next = step ? lines[row + step[0]]?.points : own
    const to =
      event.key === 'Home'
        ? own[0]
        : event.key === 'End'
          ? own.at(-1)
          : next?.[Math.min(column + (step?.[1] ?? 0), step?.[0] ? next.length - 1 : Infinity)]
    if (to) event.currentTarget.querySelector<SVGElement>(`[data-point="${CSS.escape(to.cell.id)}"]`)?.focus()
  }
  return (
    <div ref={box} className={css.plot}>
      {lines.length > 1 && lines.length <= NAMED && (
        <ul className={css.names} aria-label="Configurations">
          {lines.map((line) => (
            <li key={line.id} title={name(line).full}>
              <SlotMark slot={line.slot} />
              <bdi>{name(line).short}</bdi>
            </li>
          ))}
        </ul>
      )}
      <svg
        width={width}
        height={HIGH}
        role="group"
        aria-label={`${shortName(y.field)} by ${shortName(x.field)}, one line per configuration, ${lines.length} lines`}
      >
        <clipPath id={clip}>
          <rect x={LEFT} y={TOP} width={plotRight - LEFT} height={HIGH - BOTTOM - TOP} />
        </clipPath>
        {edge !== null && (
          <rect
            className={css.within}
            clipPath={`url(#${clip})`}
            x={isLower ? LEFT : edge}
            y={TOP}
            width={Math.max(0, isLower ? edge - LEFT : plotRight - edge)}
            height={HIGH - BOTTOM - TOP}
          />
        )}
        {up.ticks.map((tick, i) => (
          <g key={tick}>
            <path className={tick === up.low ? css.axis : css.gridLine} d={`M${LEFT} ${py(tick)}H${plotRight}`} />
            <text className={css.tick} x={LEFT - 6} y={py(tick) + 4} textAnchor="end">
              {upWords[i]}
            </text>
          </g>
        ))}
        {across.ticks.map((tick, i) => (
          <text
            key={tick}
            className={css.tick}
            x={Math.min(px(tick), px(tick) > width - EDGE ? width : Infinity)}
            y={HIGH - BOTTOM + 16}
            textAnchor={px(tick) > width - EDGE ? 'end' : 'middle'}
          >
            {acrossWords[i]}
          </text>
        ))}
        <text className={css.axisName} x={0} y={12}>
          ↑ {shortName(y.field)} {forms.y.unit}
        </text>
        <text className={css.axisName} x={plotRight} y={HIGH - 4} textAnchor="end">
          {shortName(x.field)} {forms.x.unit}
          {across.isLog ? ', log scale' : ''} →
        </text>
        {edge !== null && (
          <>
            <path className={css.edge} d={`M${edge} ${TOP}V${HIGH - BOTTOM}`} />
            <text
              className={css.edgeName}
              x={edge + (edge > plotRight - 70 ? -4 : 4)}
              y={TOP + 10}
              textAnchor={edge > plotRight - 70 ? 'end' : 'start'}
            >
              {isLower ? '≤' : '≥'} {plainNumber(limit as number, forms.x)} {forms.x.unit}
            </text>
          </>
        )}
        {lines.map((line) => (
          <path
            key={line.id}
            className={css.line}
            style={{ stroke: slotColour(line.slot) }}
            d={line.points
              .map((point, i) => `${i ? 'L' : 'M'}${px(point.x).toFixed(1)} ${py(point.y).toFixed(1)}`)
              .join('')}
          />
        ))}
        <g onKeyDown={press}>
          {lines.map((line) =>
            line.points.map((point) => (
              <g
                key={point.cell.id}
                role="link"
                aria-label={words(line, point)}
                data-point={point.cell.id}
                data-best={point === best || undefined}
                data-shown={point.cell.id === shown || undefined}
                tabIndex={point.cell.id === tab ? 0 : -1}
                className={css.point}
                transform={`translate(${px(point.x).toFixed(1)} ${py(point.y).toFixed(1)})`}
                onFocus={() => {
                  setCurrent(point.cell.id)
                  onRead(point.cell)
                }}
                onMouseEnter={() => onRead(point.cell)}
                onClick={() => {
                  const experiment = experimentOf(point)
                  if (experiment != null) navigate(paths.experiment(experiment))
                }}
              >
                <circle className={css.target} r={12} />
                {point === best && <circle className={css.ring} r={9} />}
                <path
                  d={shapeOf(line.slot)}
                  transform="scale(.8)"
                  style={{
                    opacity: isSimulated(point) ? 0.45 : 1,
                    fill: point.isTrusted ? slotColour(line.slot) : 'var(--sheet)',
                    stroke: slotColour(line.slot),
                  }}
                />
              </g>
            )),
          )}
        </g>
      </svg>
      {points.some((point) => !point.isTrusted || isSimulated(point)) && (
        <p className="dim small">
          {points.some((point) => !point.isTrusted) && 'Hollow points are not trusted. '}
          {points.some(isSimulated) && 'Faint points are simulated.'}
        </p>
      )}
      {lines.length > NAMED && <p className="dim small">The table names all {lines.length} lines.</p>}
    </div>
  )
}

function PointTable({ model, lines, name, x, y, limit, best, isLower }: DrawProps) {
  const forms = formsOf({ x, y, lines })
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Curve values"
      aria-description="Scrolls sideways"
    >
      <table className={page.rows}>
        <thead>
          <tr>
            <th scope="col">Configuration</th>
            {model.load && (
              <th scope="col" className={page.num}>
                {shortKey(model.load.key, [])}
              </th>
            )}
            <th scope="col" className={page.num}>
              {shortName(x.field)} <span className="dim">{forms.x.unit}</span>
            </th>
            <th scope="col" className={page.num}>
              {shortName(y.field)} <span className="dim">{forms.y.unit}</span>
            </th>
            {limit !== null && <th scope="col">Limit</th>}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) =>
            line.points.map((point) => (
              <tr key={point.cell.id}>
                <th scope="row" title={name(line).full}>
                  <SlotMark slot={line.slot} /> {name(line).short}
                </th>
                {model.load && <td className={page.num}>{valueWords(point.load)}</td>}
                <td className={page.num}>{showNumber(point.x, forms.x)}</td>
                <td className={page.num}>{showNumber(point.y, forms.y)}</td>
                {limit !== null && (
                  <td>{point === best ? <b>best</b> : isWithin(point, limit, isLower) ? 'met' : 'not met'}</td>
                )}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  )
}
