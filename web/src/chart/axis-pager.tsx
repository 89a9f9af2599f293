// Shows a part of many parallel axes, with buttons for the others, because a phone has no room for all.
import { useState } from 'react'

import { IconButton } from '../ui/controls'
import css from './chart.module.css'
import type { Chart } from './items'
import { axesThatFit } from './parallel'

interface AxesPage {
  from: number
  end: number // after the last
  all: number
}

// One axis is on both of two pages, so every two neighbors are next to each other on one of them.
function pageOf(chart: Chart, wanted: number, wide: number): AxesPage {
  const all = chart.axes.length
  const from = Math.max(0, Math.min(wanted, all - 2))
  return { from, end: all === 0 ? 0 : from + axesThatFit(chart, from, wide), all }
}

// Returns the axes that fit, and the buttons that show others.
export function useAxesPage(chart: Chart, wide: number) {
  const [wanted, setFrom] = useState(0)
  return { page: pageOf(chart, wanted, wide), setFrom }
}

export function AxisPager({ page: { from, end, all }, onFrom }: { page: AxesPage; onFrom: (from: number) => void }) {
  if (end - from >= all) return null
  const step = Math.max(1, end - from - 1)
  return (
    <span className={css.pager} role="group" aria-label="Shown axes">
      <IconButton
        icon="left"
        name="Previous axes"
        isDisabled={from === 0}
        onPress={() => onFrom(Math.max(0, from - step))}
      />
      Axes {from + 1}–{end} of {all}
      <IconButton icon="right" name="Next axes" isDisabled={end >= all} onPress={() => onFrom(from + step)} />
    </span>
  )
}
