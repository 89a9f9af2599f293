// A region that is drawn on a chart, as a choice of its fields.
import type { Kind, Scalar } from '../api/types'
import { type Choice, type Choices, withChoice } from '../filter/model'
import { isNumeric } from '../format/number'
import { lowEnd } from '../format/unit'
import { type Box, outwards } from './hits'
import type { Chart, Named } from './items'
import { kindsBetween, valueOn } from './parallel'

const canRange = ({ kinds, field }: Named) => kinds === null && (isNumeric(field) || field.type === 'time')

export function canBrushOn({ answer, x, y }: Chart) {
  if (answer.grid || answer.lines) return true
  return canRange(x) || (answer.marks !== undefined && y !== null && canRange(y))
}

// Returns a choice of values, or of ranges by their ends. Adjacent ranges become one range.
function choiceOf(kinds: Kind[]): Choice {
  const values = kinds.flatMap(({ state, value }) =>
    state === 'value' && ['string', 'number', 'boolean'].includes(typeof value) ? [value as Scalar] : [],
  )
  const ranges = kinds.filter(({ state }) => state === 'range')
  const ends = [ranges[0]?.low, ranges.at(-1)?.high]
  return {
    ...(values.length && { values }),
    ...(kinds.some(({ state }) => state === 'null') && { unset: true }),
    ...(ends[0] !== undefined && ends[1] !== undefined && { range: [ends[0], ends[1]] as [number, number] }),
  }
}

// A region that contains no value makes no choice.
const ofKinds = (axis: Named, kinds: Kind[], choices: Choices) =>
  kinds.length ? withChoice(choices, axis.field.id, choiceOf(kinds)) : choices

// `least`: of the values on the axis. A region that begins below zero, where no value is, begins at zero.
function ranged(axis: Named, ends: [number, number], choices: Choices, least?: number | null): Choices {
  if (!canRange(axis)) return choices
  const isTime = axis.field.type === 'time'
  const drawn = isTime ? ends : outwards(ends)
  const [low, high] = isTime
    ? drawn
    : (drawn.map((end) => (typeof least === 'number' && least >= 0 ? Math.max(0, end) : lowEnd(axis.field, end))) as [
        number,
        number,
      ])
  const range = isTime
    ? ([new Date(low).toISOString(), new Date(high).toISOString()] as [string, string])
    : ([low, high] as [number, number])
  return withChoice(choices, axis.field.id, { range })
}

function brushedAxis({ axes }: Chart, choices: Choices, { x, y }: Box): Choices {
  const axis = axes[Math.max(0, Math.min(axes.length - 1, Math.round(x[0])))]
  if (!axis) return choices
  if (axis.kinds) return ofKinds(axis, kindsBetween(axis, y), choices)
  return ranged(axis, [valueOn(axis, Math.max(0, y[0])), valueOn(axis, Math.min(1, y[1]))], choices)
}

// Returns the range of whole bins. A bin excludes its upper edge and a filter includes it, so the range of integers
// ends one before the edge. For other numbers, results exactly on the edge are included.
function binned({ x }: Chart, edges: number[], choices: Choices, [from, to]: [number, number]): Choices {
  const last = edges.length - 1
  const end = Math.max(1, Math.min(last, Math.ceil(to)))
  const begin = Math.max(0, Math.min(end - 1, Math.floor(from)))
  const [low, high] = [edges[begin] as number, edges[end] as number]
  return withChoice(choices, x.field.id, {
    range: [low, end < last && x.field.type === 'count' && Number.isInteger(high) ? high - 1 : high],
  })
}

export function brushed(chart: Chart, choices: Choices, box: Box): Choices {
  if (chart.answer.lines) return brushedAxis(chart, choices, box)
  const within = (axis: Named, [low, high]: [number, number]) =>
    (axis.kinds ?? []).slice(Math.max(0, Math.round(low)), Math.round(high) + 1)
  if (chart.answer.grid && chart.y)
    return ofKinds(chart.y, within(chart.y, box.y), ofKinds(chart.x, within(chart.x, box.x), choices))
  if (chart.answer.bins?.edges) return binned(chart, chart.answer.bins.edges, choices, box.x)
  const next = ranged(chart.x, box.x, choices, chart.answer.x?.min)
  return chart.answer.marks && chart.y ? ranged(chart.y, box.y, next, chart.answer.y?.min) : next
}
