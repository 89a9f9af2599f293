// The lines of baselines: gray, under the configurations. A line joins the points of its frontier.
import type { BaselineLine } from '../api/types'
import { lineName } from '../planner/model'
import type { Scale } from './plot'

export const BASELINE_COLOR = 'var(--text-3)'
const RADIUS = 2.5
export const BASELINE_HALF = RADIUS + 2 // half of a mark, with a gap

export const BaselineMarks = ({ lines, scale: { toX, toY } }: { lines: BaselineLine[]; scale: Scale }) =>
  lines.map((line, i) => {
    const on = line.points.filter(({ frontier }) => frontier)
    return (
      <g key={i} data-baseline={lineName(line)} stroke={BASELINE_COLOR} opacity="0.8">
        <title>{lineName(line)}</title>
        <path
          d={on.map(({ x, y }, k) => `${k === 0 ? 'M' : 'L'}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`).join('')}
          fill="none"
          strokeWidth="1.2"
        />
        {line.points.map(({ x, y, frontier }, k) => (
          <circle key={k} cx={toX(x)} cy={toY(y)} r={RADIUS} fill={frontier ? BASELINE_COLOR : 'none'} />
        ))}
      </g>
    )
  })
