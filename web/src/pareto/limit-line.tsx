// A limit in the plot: a line with a handle. Dragging and the arrow keys move it; its field has the number.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

import { longName } from '../fields/catalogue'
import { boundText } from '../format/number'
import type { ParetoLimit } from '../url/pareto'
import css from './pareto.module.css'
import type { Axis, Scale } from './plot'

const [STEP, LARGE_STEP] = [0.01, 0.1]
const KEYS: Record<string, 1 | -1> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }

// Three digits are as precise as a pointer.
const rounded = (value: number) => Number(value.toPrecision(3))

interface Props {
  limit: ParetoLimit
  axes: [Axis, Axis, ...Axis[]]
  scale: Scale
  onMove: (limit: ParetoLimit, value: number, isMoving: boolean) => void
}

export function LimitLine({ limit, axes, scale, onMove }: Props) {
  const dragged = useRef<{ from: number; to: number } | null>(null)
  const isX = limit.field === axes[0].field.id
  const { field, form } = isX ? axes[0] : axes[1]
  const { left, right, top, bottom } = scale.box
  const wanted = isX ? scale.toX(limit.value) : scale.toY(limit.value)
  const at = isX ? Math.min(right, Math.max(left, wanted)) : Math.min(bottom, Math.max(top, wanted))
  const isOutside = Math.abs(wanted - at) > 1
  const sign = limit.op === '<=' ? '≤' : '≥'
  const text = `${sign} ${boundText(limit.value, form)} ${form.unit}`.trim()
  const move = (event: PointerEvent<HTMLElement>) => {
    if (dragged.current === null) return
    const host = event.currentTarget.parentElement?.getBoundingClientRect()
    const to = isX
      ? scale.fromX(Math.min(right, Math.max(left, event.clientX - (host?.left ?? 0))))
      : scale.fromY(Math.min(bottom, Math.max(top, event.clientY - (host?.top ?? 0))))
    dragged.current.to = rounded(to)
    onMove(limit, dragged.current.to, true)
  }
  const keys = (event: KeyboardEvent) => {
    const way = KEYS[event.key]
    const isEscape = event.key === 'Escape' && dragged.current !== null
    if ((way === undefined && !isEscape) || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    if (way !== undefined) {
      const step = Math.abs(limit.value || 1) * (event.shiftKey ? LARGE_STEP : STEP)
      return onMove(limit, rounded(limit.value + way * step), false)
    }
    const from = dragged.current?.from ?? limit.value
    dragged.current = null
    onMove(limit, from, false)
  }
  return (
    <>
      <div
        className={css.limitLine}
        data-axis={isX ? 'x' : 'y'}
        style={isX ? { left: at, top, height: bottom - top } : { left, top: at, width: right - left }}
      />
      <div
        className={css.limitHandle}
        role="slider"
        tabIndex={0}
        aria-label={`Limit of ${longName(field)}`}
        aria-orientation={isX ? 'horizontal' : 'vertical'}
        aria-valuemin={Math.min(limit.value, rounded(isX ? scale.fromX(left) : scale.fromY(bottom)))}
        aria-valuemax={Math.max(limit.value, rounded(isX ? scale.fromX(right) : scale.fromY(top)))}
        aria-valuenow={limit.value}
        aria-valuetext={`${limit.op === '<=' ? 'at most' : 'at least'} ${text.slice(2)}${isOutside ? ', outside this axis' : ''}`}
        data-axis={isX ? 'x' : 'y'}
        data-side={isX ? (right - at < 130 ? 'before' : 'after') : at - top < 24 ? 'below' : 'above'}
        style={isX ? { left: at, top } : { left: right, top: at }}
        onKeyDown={keys}
        onPointerDown={(event) => {
          event.stopPropagation()
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          dragged.current = { from: limit.value, to: limit.value }
        }}
        onPointerMove={move}
        onPointerUp={() => {
          const last = dragged.current
          dragged.current = null
          if (last) onMove(limit, last.to, false)
        }}
        onPointerCancel={() => {
          const last = dragged.current
          dragged.current = null
          if (last) onMove(limit, last.from, false)
        }}
      >
        <span>
          {text}
          {isOutside && ', outside'}
        </span>
      </div>
    </>
  )
}
