// The plot of the two metrics, and next to it one over the first limit of another metric. Both have the same y axis.
import { type ComponentProps, useMemo, useRef } from 'react'

import type { Slo } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { formOfScale } from '../format/number'
import { useWidth } from '../ui/use-width'
import type { ParetoLimit } from '../url/pareto'
import { overLimit } from './model'
import css from './pareto.module.css'
import { type Axis, Plot } from './plot'

type PlotProps = ComponentProps<typeof Plot>

interface Props extends Omit<PlotProps, 'high' | 'aside'> {
  allLimits: ParetoLimit[] // as they are dragged, of all metrics
  slo: Slo | undefined
  catalogue: Catalogue
}

const HEIGHT = { least: 300, most: 430, share: 0.62 } // px, and of the width

export function Plots({ allLimits, slo, catalogue, ...props }: Props) {
  const { axes, all, limits } = props
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 800)
  const limit = allLimits.find(({ field }) => axes.slice(0, 2).every((axis) => axis.field.id !== field))
  const known = limit && slo
  // a dragged limit moves no configuration
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field of the limit is all that counts
  const aside = useMemo(() => (limit && slo ? overLimit(all, limit, slo) : []), [all, limit?.field, slo])
  const asideAxes = useMemo((): [Axis, Axis] | null => {
    if (!limit || aside.length === 0) return null
    const field = catalogue.get(limit.field)
    const form = formOfScale(
      field,
      aside.map(({ x }) => x),
    )
    return [{ field, form, way: limit.op === '<=' ? 'lower' : 'higher' }, axes[1]]
  }, [aside, axes, catalogue, limit])
  const asideLimits = useMemo(
    () => allLimits.filter(({ field }) => field === limit?.field || field === axes[1].field.id),
    [allLimits, limit, axes],
  )
  const high = Math.round(Math.min(HEIGHT.most, Math.max(HEIGHT.least, width * HEIGHT.share)))
  return (
    <div ref={host} className={css.plots} data-two={asideAxes !== null || undefined}>
      <Plot {...props} limits={limits} high={high} />
      {known && asideAxes && (
        <Plot {...props} axes={asideAxes} all={aside} aside={all} limits={asideLimits} high={high} />
      )}
    </div>
  )
}
