// The SLO in the drawing: a line with a handle, and a veil over the marks beyond it. The handle is at the end of the
// line where the worst results are, and its label beyond the limit, so that neither covers the best result.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

import { longName } from '../fields/catalogue'
import css from './chart.module.css'
import type { Chart } from './items'
import { placeWords, unitOf } from './items'
import type { Scale } from './plot'
import { LARGE_STEP, namedOf, rounded, type Slo, STEP } from './slo'

const OUTSIDE = ', outside this axis'
const LETTER_PX = 7 // of the label
const LABEL_PX = 24 // its height with a gap

const KEYS: Record<string, 1 | -1> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }

interface Props {
  chart: Chart
  slo: Slo
  scale: Scale
  onMove: (value: number) => void // while it is dragged
  onChange: (value: number) => void
  onCancel: () => void
}

export function SloLine({ chart, slo: { axis, value }, scale, onMove, onChange, onCancel }: Props) {
  const dragged = useRef<{ from: number; to: number } | null>(null)
  const named = namedOf(chart, axis)
  const { left, right, top, bottom } = scale.box
  const isX = axis === 'x'
  const wanted = scale.toPx(axis, value)
  const at = Math.min(isX ? right : bottom, Math.max(isX ? left : top, wanted))
  const isOutside = Math.abs(wanted - at) > 1
  const goal = (isX ? chart.y : chart.x)?.field.direction
  const text = `${placeWords(named, value, true)} ${unitOf(named)}`.trim()
  const move = (event: PointerEvent<HTMLElement>) => {
    if (dragged.current === null) return
    const box = event.currentTarget.parentElement?.getBoundingClientRect()
    const [least, most] = isX ? [left, right] : [top, bottom]
    const px = isX ? event.clientX - (box?.left ?? 0) : event.clientY - (box?.top ?? 0)
    dragged.current.to = rounded(scale.fromPx(axis, Math.min(most, Math.max(least, px))))
    onMove(dragged.current.to)
  }
  const keys = (event: KeyboardEvent) => {
    const way = KEYS[event.key]
    const isEscape = event.key === 'Escape' && dragged.current !== null
    if (way === undefined && !isEscape) return
    event.preventDefault()
    event.stopPropagation()
    if (way !== undefined) return onChange(rounded(value * (1 + way * (event.shiftKey ? LARGE_STEP : STEP))))
    dragged.current = null
    onCancel()
  }
  return (
    <>
      <div
        className={css.within}
        style={
          isX
            ? { left, top, width: at - left, height: bottom - top }
            : { left, top: at, width: right - left, height: bottom - at }
        }
      />
      <div
        className={css.beyond}
        style={
          isX
            ? { left: at, top, width: right - at, height: bottom - top }
            : { left, top, width: right - left, height: at - top }
        }
      />
      <div
        className={css.sloLine}
        data-axis={axis}
        style={isX ? { left: at, top, height: bottom - top } : { left, top: at, width: right - left }}
      />
      <div
        className={css.sloHandle}
        data-axis={axis}
        role="slider"
        tabIndex={0}
        aria-label={`SLO of ${longName(named.field)}`}
        aria-orientation={isX ? 'horizontal' : 'vertical'}
        aria-valuemin={0}
        aria-valuemax={Math.max(value, rounded(scale.fromPx(axis, isX ? right : top)))}
        aria-valuenow={value}
        aria-valuetext={`at most ${text}${isOutside ? OUTSIDE : ''}`}
        style={
          isX ? { left: at, top: goal === 'lower' ? top : bottom } : { left: goal === 'lower' ? right : left, top: at }
        }
        data-side={
          isX
            ? right - at > (text.length + OUTSIDE.length) * LETTER_PX
              ? 'after'
              : 'before'
            : at - top > LABEL_PX
              ? 'above'
              : 'below'
        }
        data-end={isX && goal !== 'lower' ? 'bottom' : !isX && goal !== 'lower' ? 'left' : undefined}
        onKeyDown={keys}
        onPointerDown={(event) => {
          event.stopPropagation()
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          dragged.current = { from: value, to: value }
        }}
        onPointerMove={(event) => {
          event.stopPropagation()
          move(event)
        }}
        onPointerUp={(event) => {
          event.stopPropagation()
          const last = dragged.current
          dragged.current = null
          if (last) last.to === last.from ? onCancel() : onChange(last.to)
        }}
        onPointerCancel={() => {
          dragged.current = null
          onCancel()
        }}
      >
        <span>
          ≤ {text}
          {isOutside && OUTSIDE}
        </span>
      </div>
    </>
  )
}
