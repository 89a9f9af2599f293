// Means with intervals of fields that the frontiers do not have.
import { useMemo } from 'react'

import { useFeasible } from '../api/pareto'
import type { ParetoRequest, Slo } from '../api/types'
import { type Form } from '../format/number'
import { type Configuration, intervalOf, meansRequestOf } from './model'

export type Mean = Pick<Slo['configurations'][0]['values'][0], 'mean' | 'low' | 'high'>

export const ONE_RUN = '1 run, no interval'

// An interval with its unit; a single run has none.
export const intervalOr = (value: Mean, form: Form) =>
  value.low === null ? ONE_RUN : `${intervalOf(value, form)} ${form.unit}`.trim()

// `request`: of the frontiers. Both lists should be the same objects while their content is. A mean is undefined until
// it is known.
export function useMeans(all: Configuration[], fields: readonly string[], request: ParetoRequest | null) {
  const asked = useMemo(
    () =>
      meansRequestOf(
        all.map(({ point }) => point),
        fields,
        request,
      ),
    [all, fields, request],
  )
  const { data, isPlaceholderData } = useFeasible(asked, 0)
  const known = asked && !isPlaceholderData ? data : undefined
  return (id: number, field: string): Mean | undefined =>
    known?.configurations.find(({ ids }) => ids.includes(id))?.values[
      known.limits.findIndex((limit) => limit.field === field)
    ]
}
