// The caption of a chart: what its values are computed from, shown once below it, in its table and in its files.
import { isEven } from '../format/bin-ticks'
import { count, plainNumber } from '../format/number'
import { beginOf, isLogY } from './axes'
import { type Chart, unitOf } from './items'
import { KINDS } from './kind-rows'
import { DRAWINGS } from './option'

// Values of the color that do not fit.
function fallenWords({ beside: { kinds, fell }, state }: Chart) {
  if (!fell) return ''
  return `${count(fell.kinds)} of ${count(fell.kinds + kinds.length)} colors do not fit: their ${KINDS[state.kind].nouns[1]} (${count(fell.rows)} ${fell.rows === 1 ? 'experiment' : 'experiments'}) are not plotted`
}

// The length of a bar is proportional to its value only from zero.
function beginWords(chart: Chart) {
  const begin = beginOf(chart)
  if (begin === null || !chart.y) return ''
  return (
    `the ${isLogY(chart) ? 'logarithmic axis' : 'axis'} begins at ${plainNumber(begin, chart.y.form)} ${unitOf(chart.y)}`.trimEnd() +
    ', not at zero'
  )
}

const openWords = ({ items }: Chart) =>
  items.some(({ openLow, openHigh }) => openLow || openHigh) ? 'error bars without an end extend beyond the axis' : ''

// All bins have the same width on the screen, but may grow in value along the axis.
function binWords({ answer, x }: Chart) {
  const edges = answer.bins?.edges
  if (!edges || edges.length < 3) return ''
  return isEven(edges)
    ? ''
    : `bins grow along the axis, from ${plainNumber(edges[1] as number, x.form)} to ${plainNumber(edges.at(-1) as number, x.form)} ${unitOf(x)}`.trimEnd() +
        ': heights are counts, not densities'
}

export const captionOf = (chart: Chart) =>
  [DRAWINGS[chart.state.kind].caption(chart), openWords(chart), beginWords(chart), binWords(chart), fallenWords(chart)]
    .filter(Boolean)
    .join('; ')
