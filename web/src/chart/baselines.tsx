// Baselines on a scatter: gray marks of public results over the drawing, and their choice below it.
import { useEffect, useMemo } from 'react'

import { useBaselineLines } from '../api/planner'
import type { BaselineLine, Filter } from '../api/types'
import { Baselines } from '../planner/baselines'
import { lineName } from '../planner/model'
import css from './chart.module.css'
import type { Chart } from './items'
import type { Scale } from './plot'

const LINES_MOST = 8
const NONE: BaselineLine[] = []

export function useScatterBaselines({ state, x, y }: Chart, filter: Filter | undefined) {
  const { baselines, kind } = state
  const request = useMemo(() => {
    const metric = ({ field }: Chart['x']) => ({
      field: field.id,
      direction: field.direction === 'lower' ? ('lower' as const) : ('higher' as const),
    })
    return kind === 'scatter' && y && baselines.length > 0
      ? { baselines, metrics: [metric(x), metric(y)], limit: LINES_MOST, ...(filter && { filter }) }
      : null
  }, [baselines, kind, x, y, filter])
  const { data, error, refetch, isPlaceholderData } = useBaselineLines(request)
  return {
    lines: (request && data?.lines) || NONE,
    moreCount: data?.more_count ?? 0,
    isAnswered: data !== undefined && !isPlaceholderData,
    error: request && error,
    onRetry: () => void refetch(),
  }
}

export const ScatterBaselines = Baselines

interface MarksProps {
  lines: BaselineLine[]
  scale: Scale
  onOutside: (count: number) => void // marks outside of the axes, which are those of the experiments
}

export function BaselineMarks({ lines, scale: { box, toPx }, onOutside }: MarksProps) {
  const placed = lines.map((line) => ({
    line,
    marks: line.points
      .map((point) => [toPx('x', point.x), toPx('y', point.y)] as const)
      .filter(([px, py]) => px >= box.left && px <= box.right && py >= box.top && py <= box.bottom),
  }))
  const outside = placed.reduce((sum, { line, marks }) => sum + line.points.length - marks.length, 0)
  useEffect(() => {
    onOutside(outside)
    return () => onOutside(0)
  }, [onOutside, outside])
  return (
    <svg className={css.baselines} aria-hidden="true">
      {placed.map(({ line, marks }, i) => (
        <g key={i} data-baseline={lineName(line)}>
          {marks.map(([px, py], k) => (
            <circle key={k} cx={px} cy={py} r="3" fill="var(--text-3)" opacity="0.8" />
          ))}
        </g>
      ))}
    </svg>
  )
}
