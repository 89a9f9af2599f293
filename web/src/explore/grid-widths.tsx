// The edge of a column: dragged, or moved by the arrow keys; a double click, or Enter, lets it fit again. What was
// made is remembered in this browser.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

import { usePreferences } from '../keys/store'
import { LEAST_PX } from './grid-columns'
import css from './grid.module.css'

const STEP_PX = 8
const MOST_PX = 900

const clamp = (px: number) => Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, px)))

function keep(of: string, px: number | null) {
  const { widths, set } = usePreferences.getState()
  const { [of]: _, ...others } = widths
  set({ widths: px === null ? others : { ...others, [of]: clamp(px) } })
}

export function WidthHandle({ of, name, px }: { of: string; name: string; px: number }) {
  const drag = useRef<{ x: number; px: number; col: HTMLElement; table: HTMLElement; tablePx: number } | null>(null)
  const begin = (event: PointerEvent<HTMLElement>) => {
    const table = event.currentTarget.closest('table')
    const col = table?.querySelector<HTMLElement>(`col[data-of="${CSS.escape(of)}"]`)
    if (!table || !col) return
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { x: event.clientX, px, col, table, tablePx: Number.parseFloat(table.style.minWidth) }
  }
  // the browser alone moves it until it is let go: drawing all cells at each step would stick
  const move = (event: PointerEvent) => {
    const now = drag.current
    if (!now) return
    const wide = clamp(now.px + event.clientX - now.x)
    now.col.style.width = `${wide}px`
    now.table.style.minWidth = `${now.tablePx + wide - now.px}px`
  }
  const end = (event: PointerEvent) => {
    const now = drag.current
    drag.current = null
    if (now && event.clientX !== now.x) keep(of, now.px + event.clientX - now.x)
  }
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -STEP_PX : event.key === 'ArrowRight' ? STEP_PX : 0
    if (by === 0 && event.key !== 'Enter') return
    event.preventDefault()
    keep(of, by === 0 ? null : px + (event.shiftKey ? 4 * by : by))
  }
  return (
    <span className={css.edge} role="separator" aria-orientation="vertical" aria-label={`Width of ${name}`} aria-valuenow={px} aria-valuemin={LEAST_PX} aria-valuemax={MOST_PX} tabIndex={0}
      onPointerDown={begin} onPointerMove={move} onPointerUp={end} onPointerCancel={end} onDoubleClick={() => keep(of, null)} onKeyDown={press} />
  )
}
