// The sizes of marks, and what they represent.
import { plainNumber } from '../format/number'
import type { Chart, Item } from './items'

const LEAST = 5
const MOST = 22
const MANY = 200 // beyond, large ones would hide each other, and the axes
const MOST_OF_MANY = 13

interface Sizing {
  of: (item: Item) => number
  wide: (value: number) => number
  most: number
  isCrowded: boolean
}

// null: all are of one size. By area, so that twice as much looks twice as large.
export function sizingOf({ items, answer, size }: Chart): Sizing | null {
  if (!size && answer.form !== 'thinned') return null
  const of = (item: Item) => (size ? item.size : item.n) ?? 0
  const most = items.reduce((greatest, item) => Math.max(greatest, of(item)), 0)
  const isCrowded = items.length > MANY
  const full = isCrowded && size ? MOST_OF_MANY : MOST
  return {
    of,
    most,
    isCrowded: isCrowded && size !== null,
    wide: (value) => Math.max(LEAST, Math.sqrt(Math.max(0, value) / (most || 1)) * full),
  }
}

const PARTS = [0.1, 1] // of the greatest
const round = (value: number) => {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([5, 2].find((step) => step <= value / power) ?? 1)
}

// Two example sizes for the legend: a small one and nearly the largest.
export function sizeKeys(chart: Chart): { wide: number; words: string }[] {
  const sizing = sizingOf(chart)
  if (!sizing || sizing.most <= 0) return []
  const values = PARTS.map((part) => round(sizing.most * part)).map((value) =>
    chart.size ? value : Math.max(1, value),
  )
  const last = values.length - 1
  return values.flatMap((value, i) =>
    i < last && value === values[last]
      ? []
      : [
          {
            wide: sizing.wide(value),
            words: chart.size
              ? `${i === 0 ? `${chart.size.name} ` : ''}${plainNumber(value, chart.size.form)}${i === last ? ` ${chart.size.form.unit}` : ''}`.trimEnd()
              : `${i === 0 ? 'represents ' : ''}${plainNumber(value, chart.x.form.scale === 1 ? chart.x.form : { ...chart.x.form, scale: 1 })}${i === last ? ' results' : ''}`,
          },
        ],
  )
}
