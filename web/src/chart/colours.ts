// ECharts needs resolved colors, not CSS variables: each is read from an element that has it, again after each change
// of the theme.
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

import { RAMP, RAMP_STEPS, SERIES } from './kinds'
import { inkOn, mixed } from './tint'

export interface Colours {
  series: string[]
  other: string
  text: string
  text2: string
  text3: string
  grid: string
  axis: string
  sheet: string
  accent: string
  quiet: string
}

export function readColours(): Colours {
  const probe = document.createElement('i')
  probe.hidden = true
  probe.style.forcedColorAdjust = 'none'
  document.body.append(probe)
  const of = (token: string) => {
    probe.style.color = `var(--${token})`
    return getComputedStyle(probe).color
  }
  const colours: Colours = {
    series: Array.from({ length: SERIES }, (_, slot) => of(`s${slot + 1}`)),
    other: of('line-3'),
    text: of('text'),
    text2: of('text-2'),
    text3: of('text-3'),
    grid: of('grid'),
    axis: of('axis'),
    sheet: of('sheet'),
    accent: of('accent'),
    quiet: of('line-3'),
  }
  probe.remove()
  return colours
}

const PALE = 0.14
const FULL_AT = 0.7 // here it is the first color of a series itself

// A ramp from low to high: from the background through one hue to the ink, so that lightness alone is enough.
export function rampAt({ sheet, series, text }: Colours, share: number) {
  const [hue = text] = series
  return share < FULL_AT
    ? mixed(sheet, hue, PALE + (1 - PALE) * (share / FULL_AT))
    : mixed(hue, text, ((share - FULL_AT) / (1 - FULL_AT)) * 0.7)
}

// Colors for lines of a few ranges, which cross each other: several hues, with increasing contrast to the background. A
// line needs more contrast than a cell, which has an edge.
function anchorsOf({ sheet, series, text }: Colours) {
  const [blue = text, orange = text, , purple = text, gold = text] = series
  return inkOn(sheet) === '#000000'
    ? [gold, orange, purple, mixed(blue, text, 0.55)]
    : [mixed(blue, sheet, 0.3), purple, orange, gold]
}

export function stepOf(colours: Colours, step: number) {
  const anchors = anchorsOf(colours)
  const at = (step / (RAMP_STEPS - 1)) * (anchors.length - 1)
  const from = Math.min(anchors.length - 2, Math.floor(at))
  return mixed(anchors[from] as string, anchors[from + 1] as string, at - from)
}

export const colourOf = (colours: Colours, slot: number) =>
  slot >= RAMP ? stepOf(colours, slot - RAMP) : (colours.series[slot] ?? colours.other)

export function useColours() {
  const [colours, setColours] = useState(readColours)
  useEffect(() => {
    const read = () => setColours(readColours())
    const system = window.matchMedia('(prefers-color-scheme: dark)')
    const chosen = new MutationObserver(read)
    // the browser takes the paper's picture when this handler returns
    const readNow = () => flushSync(read)
    const print = window.matchMedia('print')
    print.addEventListener('change', readNow)
    system.addEventListener('change', read)
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      print.removeEventListener('change', readNow)
      system.removeEventListener('change', read)
      chosen.disconnect()
    }
  }, [])
  return colours
}
