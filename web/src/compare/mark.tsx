// The color and shape of a side in tables and curves.
import { shapeOf } from '../chart/shapes'
import css from './compare.module.css'

export const colourOf = (at: number) => `var(--s${at + 1})`

export type Look = 'filled' | 'hollow' | 'dashed'

export const Mark = ({ at, look = 'filled' }: { at: number; look?: Look }) => (
  <svg className={css.mark} viewBox="-6 -6 12 12" aria-hidden="true">
    <MarkPath at={at} x={0} y={0} look={look} />
  </svg>
)

// Within a drawing.
export const MarkPath = ({
  at,
  x,
  y,
  look,
  scale = 1,
}: {
  at: number
  x: number
  y: number
  look: Look
  scale?: number
}) => (
  <path
    data-look={look}
    d={shapeOf(at)}
    transform={`translate(${x} ${y}) scale(${scale})`}
    fill={look === 'filled' ? colourOf(at) : 'var(--sheet)'}
    stroke={colourOf(at)}
    strokeWidth={look === 'filled' ? 0.5 : 1.6}
    strokeDasharray={look === 'dashed' ? '1.6 1.6' : undefined}
  />
)
