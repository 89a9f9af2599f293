// The drawing needs colours as they are, not names of them: each is read from an element that has it, anew when the
// theme changes.
import { useEffect, useState } from 'react'

import { SERIES } from './kinds'

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
}

export function readColours(): Colours {
  const probe = document.createElement('i')
  probe.hidden = true
  document.body.append(probe)
  const of = (token: string) => {
    probe.style.color = `var(--${token})`
    return getComputedStyle(probe).color
  }
  const colours: Colours = {
    series: Array.from({ length: SERIES }, (_, slot) => of(`s${slot + 1}`)),
    other: of('line-3'), text: of('text'), text2: of('text-2'), text3: of('text-3'), grid: of('grid'), axis: of('axis'), sheet: of('sheet'), accent: of('accent'),
  }
  probe.remove()
  return colours
}

export const colourOf = (colours: Colours, slot: number) => colours.series[slot] ?? colours.other

export function useColours() {
  const [colours, setColours] = useState(readColours)
  useEffect(() => {
    const read = () => setColours(readColours())
    const system = window.matchMedia('(prefers-color-scheme: dark)')
    const chosen = new MutationObserver(read)
    system.addEventListener('change', read)
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      system.removeEventListener('change', read)
      chosen.disconnect()
    }
  }, [])
  return colours
}
