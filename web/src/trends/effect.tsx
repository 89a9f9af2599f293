// The smallest change that matters, which the address holds.
import { Select } from '../ui/controls'
import type { TrendsState } from '../url/trends'
import type { TrendsChange } from '../url/use-trends'
import { effectText } from './model'
import css from './trends.module.css'

const USUAL = ''
const OFFERED = [0.01, 0.02, 0.05, 0.1, 0.2]

export function Effect({ state: { effect }, change }: { state: TrendsState; change: TrendsChange }) {
  const offered = effect === null || OFFERED.includes(effect) ? OFFERED : [...OFFERED, effect].sort((a, b) => a - b)
  return (
    <span className={css.pick}>
      <span className="dim">minimum effect</span>
      <Select
        label="Minimum effect"
        value={effect === null ? USUAL : String(effect)}
        onChange={(to) => change({ effect: to === USUAL ? null : Number(to) })}
        options={[
          [USUAL, 'that of each metric'],
          ...offered.map((one): [string, string] => [String(one), effectText(one)]),
        ]}
      />
    </span>
  )
}
