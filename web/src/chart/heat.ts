// A heat map: one cell per pair of values that occurs in a result. A pair without a result is blank. A cell whose
// results have no number is an outline, outside the color scale.
import type { CustomSeriesOption } from 'echarts/charts'

import { MONO, namesBelow, ofKinds, ofNames } from './axes'
import { type Colours, rampAt } from './colours'
import { shortNumber } from '../format/number'
import type { Chart, Item, Named } from './items'
import { placeWords } from './items'
import type { Drawing } from './option'
import { inkOn } from './tint'

const GAP = 1.5
const CHAR_WIDE = 0.61 // of the figures in cells, of their size
const TEXT_HIGH = 14
const SIZES = [11, 9] // px
const SHORT_DIGITS = [3, 2]
const CORNER = 7
const LEFT_MIN = 68
const LEFT_MAX = 190
const LEFT_SHARE = 0.3
const RIGHT = 16
const BOTTOM = 22

// The color scale from the lowest to the highest value of all cells. If all values are equal, they have its middle
// color.
export function scaleOf({ items }: Chart) {
  const values = items.flatMap(({ value }) => (value === null ? [] : [value]))
  if (values.length === 0) return null
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return {
    least,
    most,
    share: (value: number) => (most > least ? value / 2 - least / 2 : 0.5) / (most > least ? most / 2 - least / 2 : 1),
  }
}

export const failedOf = ({ answer }: Chart, { at }: Item) => answer.grid?.failed[at] ?? 0

const wholeDigits = (shown: number) => (Math.abs(shown) < 1000 ? Math.trunc(Math.abs(shown)).toFixed().length : 1)

// The figures of cells, from the exact ones to the shortest: "1,234", "1.23k", "1.2k". All cells have the same form, as
// figures in some cells alone would look as if the others had none.
export function formsOf({ value }: Chart): ((item: Item) => string)[] {
  const form = (words: (named: Named, of: number) => string) => (item: Item) =>
    item.value === null || !value ? '–' : words(value, item.value)
  return [
    form((named, of) => placeWords(named, of, true)),
    ...SHORT_DIGITS.map((digits) =>
      form((named, of) =>
        named.kinds
          ? placeWords(named, of)
          : shortNumber(Number(of.toPrecision(Math.max(digits, wholeDigits(of * named.form.scale)))), named.form, true),
      ),
    ),
  ]
}

function cells(chart: Chart, colours: Colours): CustomSeriesOption {
  const { items } = chart
  const scale = scaleOf(chart)
  const text = formsOf(chart).map((wordsOf) => ({
    wordsOf,
    longest: items.reduce((most, item) => Math.max(most, wordsOf(item).length), 0),
  }))
  return {
    type: 'custom',
    animation: false,
    silent: true,
    progressive: 0,
    z: 2,
    encode: { x: 0, y: 1 },
    data: items.map((item) => [item.x, item.y as number, item.value ?? NaN, failedOf(chart, item)]),
    renderItem: ({ dataIndex }, api) => {
      const item = items[dataIndex] as Item
      const [x = 0, y = 0] = api.coord([item.x, item.y as number])
      const [bandX = 0, bandY = 0] = (api.size?.([1, 1]) ?? []) as number[]
      const [width, height] = [Math.max(1, bandX - GAP), Math.max(1, bandY - GAP)]
      const shape = { x: x - width / 2, y: y - height / 2, width, height }
      const fill = item.value === null || !scale ? null : rampAt(colours, scale.share(item.value))
      const shown =
        TEXT_HIGH < height &&
        SIZES.flatMap((size) => text.map((one) => ({ ...one, size }))).find(
          ({ longest, size }) => longest * size * CHAR_WIDE + 2 < width,
        )
      const ink = fill ? inkOn(fill) : colours.text3
      const corner = Math.min(CORNER, width / 2, height / 2)
      const right = x + width / 2
      return {
        type: 'group',
        children: [
          {
            type: 'rect',
            shape,
            style: fill ? { fill } : { fill: 'none', stroke: colours.quiet, lineWidth: 1, lineDash: [3, 2] },
          },
          ...(shown
            ? [
                {
                  type: 'text' as const,
                  style: {
                    text: shown.wordsOf(item),
                    x,
                    y,
                    fill: ink,
                    font: `${shown.size}px ${MONO}`,
                    align: 'center' as const,
                    verticalAlign: 'middle' as const,
                  },
                },
              ]
            : []),
          ...(failedOf(chart, item) > 0
            ? [
                {
                  type: 'polygon' as const,
                  shape: {
                    points: [
                      [right - corner, shape.y],
                      [right, shape.y],
                      [right, shape.y + corner],
                    ],
                  },
                  style: { fill: ink },
                },
              ]
            : []),
        ],
      }
    },
  }
}

const NAME_WIDE = 6.6 // of a letter of a name
const NAME_GAP = 16
const NAME_MAX = 22 // letters
const lettersIn = (side: number) => Math.min(NAME_MAX, Math.floor((side - NAME_GAP) / NAME_WIDE))

// The legend explains the colors and the signs of cells.
export const heatWords = ({ items, x, y }: Chart) =>
  items.length < (x.kinds?.length ?? 0) * (y?.kinds?.length ?? 0) ? 'Blank: no experiment' : ''

export function heatOf(chart: Chart, colours: Colours, wide: number): Drawing {
  const { x, y, items } = chart
  const words = y?.words ?? []
  const widest = words.reduce((most, text) => Math.max(most, Math.min(NAME_MAX, text.length)), 0)
  const side = Math.min(LEFT_MAX, wide * LEFT_SHARE, Math.max(LEFT_MIN, widest * NAME_WIDE + NAME_GAP))
  const names = namesBelow(chart, wide - side - RIGHT)
  const noLines = { splitLine: { show: false }, axisLine: { show: false } }
  return {
    beside: 0,
    reach: 'cell',
    brush: 'plane',
    more: (names?.bottom ?? BOTTOM) - BOTTOM,
    targets: items
      .map((item, at) => ({ item: at, x: item.x, y: item.y as number, shift: 0 }))
      .sort((a, b) => a.x - b.x || a.y - b.y),
    option: {
      animation: false,
      grid: {
        left: Math.max(side, names?.left ?? 0),
        right: RIGHT,
        top: 6,
        bottom: names?.bottom ?? BOTTOM,
        outerBoundsMode: 'none',
      },
      xAxis: { ...(names ? ofNames(names, colours) : ofKinds(x.words, colours, false)), ...noLines },
      yAxis: { ...ofKinds(words, colours, true, lettersIn(side)), ...noLines },
      series: [cells(chart, colours)],
    },
  }
}
