// The question about regressions that an address asks, and the address of a question.
import type { Filter, RegressionRequest } from '../api/types'
import { treeOf } from '../filter/model'
import { NO_TRENDS, type TrendsState } from '../url/trends'

export const orderOf = ({ by, version }: TrendsState) => ({ by, field: version })

export function questionOf(state: TrendsState): RegressionRequest {
  const filter = treeOf(state.choices, state.where)
  return {
    ...(filter && { filter }),
    ...(state.metrics.length && { metrics: state.metrics }),
    order: orderOf(state),
    ...(state.vary.length && { vary: state.vary }),
    ...(state.keep.length && { keep: state.keep }),
    mode: state.mode,
    ...(state.effect !== null && { min_effect: state.effect }),
    ...(state.withSimulated && { simulated: true }),
  }
}

export const stateOfQuestion = (question: RegressionRequest): TrendsState => ({
  ...NO_TRENDS,
  where: question.filter as Filter | undefined,
  metrics: question.metrics ?? [],
  by: question.order?.by ?? 'time',
  version: question.order?.field ?? NO_TRENDS.version,
  vary: question.vary ?? [],
  keep: question.keep ?? [],
  mode: question.mode ?? 'strict',
  effect: question.min_effect ?? null,
  withSimulated: question.simulated ?? false,
})
