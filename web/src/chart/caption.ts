// What a chart's figures are of, once for the whole chart: below it, in its table and in its files.
import { isEven } from '../format/bin-ticks'
import { count, plainNumber } from '../format/number'
import { beginOf, isLogY } from './axes'
import { type Chart, unitOf } from './items'
import { lowerFirst, SPREAD_WORDS, STAT_WORDS } from './model'

const CELL_WORDS = 'Empty: no experiment. Dashed: no experiment has a number. Marked corner: some runs failed.'

function figureWords({ state, answer, spread, value, axes }: Chart) {
  if (answer.grid && value) return `Each cell: ${STAT_WORDS[state.stat]} ${lowerFirst(value.name)}. ${CELL_WORDS}`
  if (answer.lines && axes.some(({ gaps }) => gaps > 0)) return '– below an axis: experiments without a value on it'
  if (!answer.groups) return ''
  if (state.kind === 'box') return `Box: quartiles and median; whiskers: ${spread === 'range' ? 'least to greatest' : 'p5 to p95'}`
  return `${STAT_WORDS[state.stat]}${spread === 'none' ? '' : `; error bars: ${SPREAD_WORDS[spread]}`}`
}

// Kinds of the colour that have no room beside the others.
function fallenWords({ beside: { kinds, fell }, state }: Chart) {
  if (!fell) return ''
  return `${count(fell.kinds)} of ${count(fell.kinds + kinds.length)} colors have no room next to the others: their ${state.kind === 'box' ? 'boxes' : 'bars'} of ${count(fell.rows)} ${fell.rows === 1 ? 'experiment' : 'experiments'} are not plotted`
}

// A length says how much only from zero.
function beginWords(chart: Chart) {
  const begin = beginOf(chart)
  if (begin === null || !chart.y) return ''
  return `the ${isLogY(chart) ? 'logarithmic axis' : 'axis'} begins at ${plainNumber(begin, chart.y.form)} ${unitOf(chart.y)}`.trimEnd() + ', not at zero'
}

const openWords = ({ items }: Chart) => (items.some(({ openLow, openHigh }) => openLow || openHigh) ? 'without an end: it reaches further' : '')

// Equally wide on the screen.
function binWords({ answer, x }: Chart) {
  const edges = answer.bins?.edges
  if (!edges || edges.length < 3) return ''
  return isEven(edges) ? '' : `bins grow along the axis, from ${plainNumber(edges[1] as number, x.form)} to ${plainNumber(edges.at(-1) as number, x.form)} ${unitOf(x)}`.trimEnd() + ': heights are counts, not densities'
}

export const captionOf = (chart: Chart) => [figureWords(chart), openWords(chart), beginWords(chart), binWords(chart), fallenWords(chart)].filter(Boolean).join('; ')
