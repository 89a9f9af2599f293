// The drawing with its overlays: rings, the tooltip, a region during a drag. Tab enters it, arrow keys move, Enter
// pins.
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'

import { type ChartAnswer, useFilm } from '../film/film'
import css from './chart.module.css'
import { type ECharts, open } from './draw'
import { drawFrame, type Filmed, type Scales } from './film'
import { type Box, boxOf, type Hits, isLogAxis, nearest, NO_HITS, placing } from './hits'
import { barWidth } from './bands'
import { type Drawing, GRID, type Target } from './option'

const DRAG_FROM = 5
const AXIS_WIDE = 10 // to each side, of a region along an axis

// Tests read the marks through it.
type Host = HTMLDivElement & { chart?: ECharts }
// The answer that a film painted, for tests.
type Layer = HTMLCanvasElement & { answer?: ChartAnswer | undefined }

// The positions of values on the screen, in pixels from the upper left corner of the drawing.
export interface Scale {
  box: { left: number; right: number; top: number; bottom: number }
  toPx: (axis: 'x' | 'y', value: number) => number
  fromPx: (axis: 'x' | 'y', px: number) => number
}

interface Props {
  drawing: Drawing
  over?: ((scale: Scale) => ReactNode) | undefined // above the marks
  filmed: (answer: ChartAnswer) => Filmed
  label: string
  hovered: number | null // a target
  ringed: number[] // targets
  pinned: number | null
  canBrush: boolean
  tip: (target: number) => ReactNode
  onHover: (target: number | null) => void
  onPin: (target: number | null) => void
  onBrush: (box: Box) => void
}

function measure(chart: ECharts, { targets, beside, reach, option }: Drawing): Hits {
  const at = (value: [number, number]) => chart.convertToPixel({ gridIndex: 0 }, value) as [number, number]
  const { x: x0 = 0, y: y0 = 0 } = targets[0] ?? {}
  const placeX = placing(
    targets,
    (target) => target.x,
    isLogAxis(option.xAxis),
    (value) => at([value, y0])[0],
  )
  const placeY = placing(
    targets,
    (target) => target.y,
    isLogAxis(option.yAxis),
    (value) => at([x0, value])[1],
  )
  const band = beside ? Math.abs((at([1, 0])[0] ?? 0) - (at([0, 0])[0] ?? 0)) : 0
  const width = barWidth(band, beside)
  const x = Float32Array.from(targets, (target) => placeX(target) + target.shift * width)
  const y = Float32Array.from(targets, placeY)
  if (reach !== 'cell') return { x, y, count: targets.length }
  const [right, up] = [at([1, 0]), at([0, 1])]
  const [left = 0, low = 0] = at([0, 0])
  // of one value alone a cell is as wide as the drawing
  const half = (far: number | undefined, near: number, whole: number) => Math.abs((far ?? near) - near) / 2 || whole
  return {
    x,
    y,
    count: targets.length,
    cell: [half(right[0], left, chart.getWidth()), half(up[1], low, chart.getHeight())],
  }
}

function useDrawing(host: React.RefObject<Host | null>, drawing: Drawing, onDrawn: (hits: Hits) => void) {
  const latest = useRef(drawing)
  latest.current = drawing
  const tell = useRef(onDrawn)
  tell.current = onDrawn
  useLayoutEffect(() => {
    const element = host.current
    if (!element) return
    const chart = open(element)
    element.chart = chart
    const fit = () => {
      // the observer also reports the initial size, which is not a change
      if (chart.getWidth() === element.clientWidth && chart.getHeight() === element.clientHeight) return
      chart.resize()
      tell.current(measure(chart, latest.current))
    }
    const watch = new ResizeObserver(fit)
    watch.observe(element)
    return () => {
      watch.disconnect()
      delete element.chart
      chart.dispose()
    }
  }, [host])
  useLayoutEffect(() => {
    const chart = host.current?.chart
    if (!chart) return
    chart.setOption(drawing.option, { notMerge: true })
    if (window.matchMedia('print').matches) chart.getZr().flush()
    tell.current(measure(chart, drawing))
  }, [host, drawing])
}

// Paints the frames of a film until another drawing replaces it or the film ends.
function useFilmLayer(
  host: React.RefObject<Host | null>,
  layer: React.RefObject<Layer | null>,
  drawing: Drawing,
  filmed: Props['filmed'],
) {
  const latest = useRef({ drawing, filmed })
  latest.current = { drawing, filmed }
  const scales = useRef<Scales | null>(null)
  const end = () => {
    host.current?.parentElement?.removeAttribute('data-film')
    if (layer.current) layer.current.answer = undefined
    scales.current = null
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new drawing ends the film
  useLayoutEffect(end, [drawing])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads refs
  useEffect(
    () =>
      useFilm.subscribe(({ frame }) => {
        const chart = host.current?.chart
        if (!chart || !layer.current) return
        if (frame?.points) {
          host.current?.parentElement?.setAttribute('data-film', '')
          scales.current = drawFrame(chart, layer.current, latest.current.filmed(frame.points), scales.current)
          layer.current.answer = frame.points
        } else if (scales.current) {
          end()
          chart.setOption(latest.current.drawing.option, { notMerge: true })
        }
      }),
    [],
  )
}

export function Plot({
  drawing,
  filmed,
  over,
  label,
  hovered,
  ringed,
  pinned,
  canBrush,
  tip,
  onHover,
  onPin,
  onBrush,
}: Props) {
  const host = useRef<Host>(null)
  const [hits, setHits] = useState<Hits>(NO_HITS)
  const across = drawing.reach === 'across'
  const traces = useMemo(() => tracesOf(drawing), [drawing])
  const [drag, setDrag] = useState<{ from: [number, number]; to: [number, number] } | null>(null)
  useDrawing(host, drawing, setHits)
  const layer = useRef<Layer>(null)
  useFilmLayer(host, layer, drawing, filmed)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new drawing can lose the point
  useEffect(() => {
    if (hovered !== null && hovered >= drawing.targets.length) onHover(null)
  }, [drawing])

  const place = (event: PointerEvent): [number, number] => {
    const box = event.currentTarget.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  const move = (event: PointerEvent) => {
    const [x, y] = place(event)
    if (drag) return setDrag({ ...drag, to: [x, y] })
    onHover(nearest(hits, x, y, across))
  }
  const down = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || event.pointerType === 'touch') return
    if (canBrush) event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ from: place(event), to: place(event) })
  }
  const up = (event: PointerEvent) => {
    const to = place(event)
    const from = drag?.from ?? to
    setDrag(null)
    const isDrag = Math.abs(to[0] - from[0]) > DRAG_FROM || Math.abs(to[1] - from[1]) > DRAG_FROM
    if (!isDrag) return onPin(nearest(hits, to[0], to[1], across))
    const chart = host.current?.chart
    if (!canBrush || !chart) return
    const value = (px: [number, number]) => chart.convertFromPixel({ gridIndex: 0 }, px) as [number, number]
    const [begin, end] = [value(from), value(to)]
    if (!drawing.lines) return onBrush(boxOf(begin, end))
    // along the axis next to its beginning, by the number of that axis
    const axis = nearestAt(drawing.lines.places, begin[0])
    onBrush(boxOf([axis, begin[1]], [axis, end[1]]))
  }
  const keys = (event: KeyboardEvent) => {
    const last = hits.count - 1
    const step: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowUp: 1,
      ArrowDown: -1,
      PageDown: 10,
      PageUp: -10,
    }
    const by = step[event.key]
    if (event.key === 'Enter' || event.key === ' ') onPin(hovered)
    else if (event.key === 'Escape') {
      if (hovered === null && pinned === null) return
      onHover(null)
      onPin(null)
    } else if (event.key === 'Home') onHover(last < 0 ? null : 0)
    else if (event.key === 'End') onHover(last < 0 ? null : last)
    else if (by !== undefined && last >= 0)
      onHover(Math.max(0, Math.min(last, (hovered ?? (by > 0 ? -1 : last + 1)) + by)))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const spot = (target: number): [number, number] => [hits.x[target] ?? -99, hits.y[target] ?? -99]
  const dragged =
    drag &&
    (drawing.brush === 'axis'
      ? boxOf([drag.from[0] - AXIS_WIDE, drag.from[1]], [drag.from[0] + AXIS_WIDE, drag.to[1]])
      : boxOf(drag.from, drag.to))
  const look = { hits, traces, targets: drawing.targets, axes: drawing.lines }
  return (
    <div
      className={css.plot}
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={`${label}. Use the arrow keys to move, Enter to pin and Escape to unpin. The table has the same data.`}
      onKeyDown={keys}
      onPointerMove={move}
      onPointerLeave={() => {
        if (!drag) onHover(null)
      }}
      onPointerDown={down}
      onPointerUp={up}
      onPointerCancel={() => setDrag(null)}
      data-brush={canBrush || undefined}
      data-testid="plot"
      style={{ '--more': `${drawing.more}px` } as CSSProperties}
    >
      <div ref={host} className={css.canvas} aria-hidden="true" />
      <canvas ref={layer} className={css.film} width={1} height={1} aria-hidden="true" data-testid="film" />
      <svg className={css.over} aria-hidden="true">
        {ringed.map((target) => (
          <Ring key={target} {...look} target={target} look={css.ring} radius={7} />
        ))}
        {pinned !== null && <Ring {...look} target={pinned} look={css.pinned} radius={9} />}
        {hovered !== null && hovered < hits.count && <Ring {...look} target={hovered} look={css.hovered} radius={7} />}
        {canBrush && dragged && (
          <rect
            className={css.brush}
            x={dragged.x[0]}
            y={dragged.y[0]}
            width={dragged.x[1] - dragged.x[0]}
            height={dragged.y[1] - dragged.y[0]}
          />
        )}
      </svg>
      {over && hits !== NO_HITS && host.current?.chart && over(scaleOf(host.current.chart, drawing))}
      {hovered !== null && hovered < hits.count && !drag && hovered !== pinned && (
        <Tip at={spot(hovered)} host={host.current}>
          {tip(hovered)}
        </Tip>
      )}
    </div>
  )
}

const nearestAt = (places: number[], at: number) =>
  places.reduce((best, place, i) => (Math.abs(place - at) < Math.abs((places[best] as number) - at) ? i : best), 0)

function scaleOf(chart: ECharts, { option }: Drawing): Scale {
  const grid = option.grid as typeof GRID
  const finder = (axis: 'x' | 'y') => (axis === 'x' ? { xAxisIndex: 0 } : { yAxisIndex: 0 })
  return {
    box: {
      left: grid.left,
      right: chart.getWidth() - grid.right,
      top: grid.top,
      bottom: chart.getHeight() - grid.bottom,
    },
    toPx: (axis, value) => chart.convertToPixel(finder(axis), value),
    fromPx: (axis, px) => chart.convertFromPixel(finder(axis), px),
  }
}

// The targets of each item; null if each target is an item.
function tracesOf({ targets, lines }: Drawing): Map<number, number[]> | null {
  if (!lines) return null
  const traces = new Map<number, number[]>()
  targets.forEach(({ item }, at) => {
    const own = traces.get(item)
    if (own) own.push(at)
    else traces.set(item, [at])
  })
  return traces
}

interface Look {
  hits: Hits
  traces: Map<number, number[]> | null
  targets: Target[]
  axes: Drawing['lines']
  target: number
  look: string | undefined
  radius: number
}

// Marks a point or a cell with a ring, and a line along its whole length.
function Ring({ hits: { x, y, cell }, traces, targets, axes, target, look, radius }: Look) {
  const [cx = -99, cy = -99] = [x[target], y[target]]
  if (cell)
    return <rect className={look} x={cx - cell[0]} y={cy - cell[1]} width={cell[0] * 2} height={cell[1] * 2} rx={2} />
  const own = traces?.get(targets[target]?.item ?? -1) ?? []
  // the line ends at a gap and at the labels of an axis
  const path = own
    .map((at, i) => {
      const axisOf = (one: number | undefined) => axes?.places.indexOf(targets[one ?? -1]?.x ?? NaN) ?? 0
      const axis = axisOf(at)
      const isBroken = i === 0 || axis - axisOf(own[i - 1]) > 1
      const gutter = axes?.gutters[axis] ?? 0
      return `${isBroken ? '' : `L${(x[at] ?? 0) - gutter} ${y[at]}`}${isBroken || gutter ? `M${x[at]} ${y[at]}` : ''}`
    })
    .join('')
  return (
    <>
      {path && <path className={look} d={path} />}
      <circle className={look} cx={cx} cy={cy} r={traces ? 4 : radius} />
    </>
  )
}

// The tooltip, on the side of the point that has room.
function Tip({ at: [x, y], host, children }: { at: [number, number]; host: HTMLElement | null; children: ReactNode }) {
  const width = host?.clientWidth ?? 0
  const isRight = x > width * 0.6
  const side = isRight ? { right: Math.max(0, width - x + 14) } : { left: x + 14 }
  return (
    <div className={css.tip} style={{ ...side, top: Math.max(GRID.top, y - 20) }}>
      {children}
    </div>
  )
}
