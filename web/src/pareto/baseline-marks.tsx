// The lines of baselines: gray, under the configurations. A line joins the points of its frontier.
import type { BaselineLine } from '../api/types'
import { lineName, shortName } from '../planner/model'
import css from './pareto.module.css'
import type { Scale } from './plot'

const NAME_GAP = 6

export const BaselineMarks = ({ lines, scale: { box, toX, toY } }: { lines: BaselineLine[]; scale: Scale }) =>
  lines.map((line, i) => {
    const on = line.points.filter(({ frontier }) => frontier)
    const last = on.at(-1)
    const isLeft = last !== undefined && toX(last.x) > (box.left + box.right) / 2
    return (
      <g key={i} data-baseline={lineName(line)} stroke="var(--text-3)" opacity="0.8">
        <path
          d={on.map(({ x, y }, k) => `${k === 0 ? 'M' : 'L'}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`).join('')}
          fill="none"
          strokeWidth="1.2"
        />
        {line.points.map(({ x, y, frontier }, k) => (
          <circle key={k} cx={toX(x)} cy={toY(y)} r="2.5" fill={frontier ? 'var(--text-3)' : 'none'} />
        ))}
        {last && (
          <text
            className={css.name}
            stroke="none"
            data-end={isLeft || undefined}
            x={toX(last.x) + (isLeft ? -NAME_GAP : NAME_GAP)}
            y={toY(last.y) - NAME_GAP}
          >
            {shortName(line)}
          </text>
        )}
      </g>
    )
  })
