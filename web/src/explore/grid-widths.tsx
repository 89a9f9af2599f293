// The edge of a column, for the pointer: a drag sets its width, a double click fits it to its content. The keys are
// those of the grid (grid-keys.ts). This browser remembers the widths.
import { type PointerEvent, useRef } from 'react'

import { usePreferences } from '../keys/store'
import { LEAST_PX } from './grid-columns'
import css from './grid.module.css'

const MOST_PX = 900

const clamp = (px: number) => Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, px)))

// null: the width that fits.
export function setWidth(of: string, px: number | null) {
  const { widths, set } = usePreferences.getState()
  const { [of]: _, ...others } = widths
  set({ widths: px === null ? others : { ...others, [of]: clamp(px) } })
}

export function WidthHandle({ of, px }: { of: string; px: number }) {
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
    if (now && event.clientX !== now.x) setWidth(of, now.px + event.clientX - now.x)
  }
  return (
    <span
      className={css.edge}
      aria-hidden="true"
      data-edge={of}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => setWidth(of, null)}
    />
  )
}
