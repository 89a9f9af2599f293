// A value and its limit on one scale. A value far over the limit fills the bar, and the tick marks the limit.
const BAR = 188

interface Props {
  value: number
  limit: number
  label: string // both, in words
  color?: string // token of the bar
}

export function Bullet({ value, limit, label, color = 'degraded' }: Props) {
  if (value < 0 || limit <= 0) return <span />
  const most = Math.max(value, limit * 1.4)
  return (
    <svg viewBox={`0 0 ${BAR} 14`} role="img" aria-label={label}>
      <path d={`M0 7H${BAR}`} stroke="var(--line-2)" />
      <rect y="4" width={(value / most) * BAR} height="6" fill={`var(--${color})`} />
      <path d={`M${(limit / most) * BAR} 0V14`} stroke="var(--text)" strokeWidth="1.5" />
    </svg>
  )
}
