// The parts of Trends. They have the filter and the version under study in common.
import { Link } from 'wouter'

import { oneStop } from '../ui/one-stop'
import { paths } from '../url/paths'
import { PARTS, type TrendsPart, type TrendsState } from '../url/trends'
import css from './trends.module.css'

const WORDS: Record<TrendsPart, string> = { verdicts: 'Verdicts', releases: 'Two releases', watches: 'Watches' }

export const Parts = ({ state }: { state: TrendsState }) => (
  <nav className={css.parts} aria-label="Parts of Trends" {...oneStop}>
    {PARTS.map((show) => (
      <Link
        key={show}
        href={paths.trends({ ...state, show, series: '', change: null })}
        aria-current={state.show === show ? 'page' : undefined}
      >
        {WORDS[show]}
      </Link>
    ))}
  </nav>
)
