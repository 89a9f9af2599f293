// A side's colour and shape: what stands for it in tables and curves.
import { shapeOf } from '../chart/shapes'
import css from './compare.module.css'

export const colourOf = (at: number) => `var(--s${at + 1})`

export const Mark = ({ at, isHollow = false }: { at: number; isHollow?: boolean }) => (
  <svg className={css.mark} viewBox="-6 -6 12 12" aria-hidden="true"><MarkPath at={at} x={0} y={0} isHollow={isHollow} /></svg>
)

// Within a drawing.
export const MarkPath = ({ at, x, y, isHollow, scale = 1 }: { at: number; x: number; y: number; isHollow: boolean; scale?: number }) => (
  <path d={shapeOf(at)} transform={`translate(${x} ${y}) scale(${scale})`} fill={isHollow ? 'var(--sheet)' : colourOf(at)} stroke={colourOf(at)} strokeWidth={isHollow ? 1.6 : 0.5} />
)
