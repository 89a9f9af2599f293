// What a chart's figures are of, once for the whole chart: below it, in its table and in its files.
import { count } from '../format/number'
import type { Chart } from './items'
import { lowerFirst, SPREAD_WORDS, STAT_WORDS } from './model'

const CELL_WORDS = 'no cell: no experiment; dashed: none with a number; a corner: failed runs among them'

function figureWords({ state, answer, spread, value }: Chart) {
  if (answer.grid && value) return `${STAT_WORDS[state.stat]} ${lowerFirst(value.name)}; ${CELL_WORDS}`
  if (!answer.groups) return ''
  if (state.kind === 'box') return `Box: quartiles and median; whiskers: ${spread === 'range' ? 'least to greatest' : 'p5 to p95'}`
  return `${STAT_WORDS[state.stat]}${spread === 'none' ? '' : `; bars of error: ${SPREAD_WORDS[spread]}`}`
}

// Kinds of the colour that have no room beside the others.
function fallenWords({ beside: { kinds, fell }, state }: Chart) {
  if (!fell) return ''
  return `${count(fell.kinds)} of ${count(fell.kinds + kinds.length)} colours have no room beside the others: their ${state.kind === 'box' ? 'boxes' : 'bars'} of ${count(fell.rows)} ${fell.rows === 1 ? 'experiment' : 'experiments'} are not drawn`
}

export const captionOf = (chart: Chart) => [figureWords(chart), fallenWords(chart)].filter(Boolean).join('; ')
