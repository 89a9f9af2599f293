// One panel: a number of each point over the sizes. All panels have the same axis of sizes; the table has the values.
import { type MouseEvent, useRef } from 'react'

import { shapeOf } from '../chart/shapes'
import { colourOf } from '../chart/slots'
import { type Form, showNumber } from '../format/number'
import { evenTicks } from '../format/ticks'
import { useWidth } from '../ui/use-width'
import { intervalOf, type Numbers, type Placed, runs, showIn } from './model'
import css from './scaling.module.css'

const HIGH = 200
const NEAR_PX = 24
const BOX = { left: 66, right: 8, top: 12, bottom: 26 }
const ASIDE = 12 // px of the marks from the ends of the axis

interface Props {
  title: string
  all: Placed[]
  sizes: number[]
  form: Form
  isLinear: boolean
  opened: Placed | undefined
  letterOf: (one: Placed) => string | undefined // of its pin
  onOpen: (id: number) => void
  numbersOf: (one: Placed) => Numbers
  idealOf?: (one: Placed) => number | null // drawn as a dashed line
  limit?: number
}

export function Panel(props: Props) {
  const { title, all, sizes, form, isLinear, opened, letterOf, onOpen, numbersOf, idealOf, limit } = props
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 400)
  const shown = all.filter((one) => one.slot >= 0 && numbersOf(one).value !== null)
  const lines = [...new Set(shown.map(({ line }) => line))]
  const ends = shown.flatMap((one) => {
    const { value, low, high } = numbersOf(one)
    return [value, low, high, idealOf?.(one) ?? null].filter((end) => end !== null)
  })
  const isLog = !isLinear && idealOf !== undefined && ends.every((end) => end > 0)
  const scaled = (value: number) => (isLog ? Math.log2(value) : value)
  const from = isLog ? Math.min(...ends) : Math.min(0, ...ends)
  const axis = isLog
    ? { min: Math.log2(from), max: Math.log2(Math.max(...ends, from * 2)), ticks: powers(from, Math.max(...ends)) }
    : evenTicks(from, Math.max(limit ?? 0, ...ends, 0), 4)
  const [first = 1, last = 1] = [sizes[0], sizes[sizes.length - 1]]
  const place = (size: number) => (isLinear ? size : Math.log2(size))
  const wide = Math.max(1, width - BOX.left - BOX.right - 2 * ASIDE)
  const toX = (size: number) =>
    BOX.left + ASIDE + ((place(size) - place(first)) / (place(last) - place(first) || 1)) * wide
  const bottom = HIGH - BOX.bottom
  const toY = (value: number) => bottom - ((scaled(value) - axis.min) / (axis.max - axis.min || 1)) * (bottom - BOX.top)
  const path = (points: Placed[], numberOf: (one: Placed) => number | null) =>
    points
      .flatMap((one) => {
        const value = numberOf(one)
        return value === null ? [] : [`${toX(one.point.size)} ${toY(value)}`]
      })
      .join('L')
  const near = ({ clientX, clientY, currentTarget }: MouseEvent<Element>) => {
    const from = currentTarget.getBoundingClientRect()
    const [px, py] = [clientX - from.left, clientY - from.top]
    let [best, least] = [undefined as Placed | undefined, NEAR_PX]
    for (const one of shown) {
      const by = Math.hypot(toX(one.point.size) - px, toY(numbersOf(one).value ?? 0) - py)
      if (by < least) [best, least] = [one, by]
    }
    return best
  }
  const words = (one: Placed) => {
    const { value, low, high } = numbersOf(one)
    const show = showIn(form)
    return [
      one.name,
      `${title} ${value === null ? '' : show(value)}`,
      `95 % CI ${intervalOf({ low, high }, show)}`,
      runs(one.point.ids.length),
    ].join(', ')
  }
  return (
    <figure className={css.panel}>
      <figcaption>
        {title} {form.unit && <span className="dim">{form.unit}</span>}
      </figcaption>
      <div ref={host}>
        {shown.length === 0 ? (
          <p className="dim">No result records it.</p>
        ) : (
          <svg
            width={width}
            height={HIGH}
            viewBox={`0 0 ${width} ${HIGH}`}
            role="img"
            onClick={(event) => {
              const one = near(event)
              if (one) onOpen(one.id)
            }}
            aria-label={`${title} over sizes, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}; the table has the values`}
          >
            {axis.ticks.map((tick) => (
              <g key={tick}>
                <path d={`M${BOX.left} ${toY(tick)}H${width - BOX.right}`} stroke="var(--grid)" />
                <text className={css.tick} data-end x={BOX.left - 6} y={toY(tick) + 4}>
                  {showNumber(tick, form)}
                </text>
              </g>
            ))}
            {sizes.map((size) => (
              <text key={size} className={css.tick} data-middle x={toX(size)} y={HIGH - 8}>
                {size}
              </text>
            ))}
            {limit !== undefined && (
              <path
                d={`M${BOX.left} ${toY(limit)}H${width - BOX.right}`}
                stroke="var(--degraded)"
                strokeDasharray="4 3"
              />
            )}
            {lines.map((line) => {
              const points = shown.filter((one) => one.line === line)
              const on = points.filter(({ point }) => point.on_line)
              const colour = colourOf(points[0]?.slot ?? -1)
              return (
                <g key={line.id} data-line={line.id}>
                  {idealOf && (
                    <path d={`M${path(on, idealOf)}`} fill="none" stroke={colour} strokeDasharray="2 4" opacity={0.8} />
                  )}
                  <path
                    d={`M${path(on, (one) => numbersOf(one).value)}`}
                    fill="none"
                    stroke={colour}
                    strokeWidth={1.5}
                  />
                  {points.map((one) => {
                    const { value, low, high } = numbersOf(one)
                    const isStop = line.stop !== null && one.point.on_line && one.point.size === line.stop.from
                    const [x, y] = [toX(one.point.size), toY(value ?? 0)]
                    return (
                      <g key={one.id}>
                        <title>{words(one)}</title>
                        {low !== null && high !== null && <path d={`M${x} ${toY(low)}V${toY(high)}`} stroke={colour} />}
                        <path
                          d={shapeOf(one.slot)}
                          transform={`translate(${x} ${y})`}
                          fill={one.point.on_line ? colour : 'var(--sheet)'}
                          stroke={colour}
                        />
                        {one === opened && <circle cx={x} cy={y} r={11} fill="none" stroke="var(--accent)" />}
                        {letterOf(one) && (
                          <text className={css.letter} x={x + 9} y={y - 7}>
                            {letterOf(one)}
                          </text>
                        )}
                        {isStop && <circle cx={x} cy={y} r={8} fill="none" stroke="var(--text)" data-stop="" />}
                      </g>
                    )
                  })}
                </g>
              )
            })}
          </svg>
        )}
      </div>
    </figure>
  )
}

// 1, 2, 4 … as far as the numbers go, at most six of them.
function powers(least: number, most: number) {
  const [from, to] = [Math.ceil(Math.log2(least) - 1e-9), Math.floor(Math.log2(most) + 1e-9)]
  const step = Math.max(1, Math.ceil((to - from) / 5))
  return Array.from({ length: Math.max(0, Math.floor((to - from) / step) + 1) }, (_, i) => 2 ** (from + i * step))
}
