// The state of a series: a shape and a word, so that color is not the only code.
import { join } from '../ui/controls'
import { type Look, STATE_WORDS, type SeriesState, sentence } from './model'
import css from './trends.module.css'

const SHAPES: Partial<Record<SeriesState, React.ReactNode>> = {
  regression: <path d="M5 .4L9.6 5 5 9.6.4 5z" />,
  improvement: <path d="M3.6.6h2.8v3h3v2.8h-3v3H3.6v-3h-3V3.6h3z" />,
  changed: <path d="M5 1.2L8.8 5 5 8.8 1.2 5z" fill="none" stroke="currentColor" strokeWidth="1.3" />,
  suspect: (
    <path d="M5 1.2L8.8 5 5 8.8 1.2 5z" fill="none" stroke="currentColor" strokeWidth="1.3" strokeDasharray="1.8 1.2" />
  ),
  noisier: <path d="M.4 5.4h1.8l1.3-4 2.2 7.4 1.5-5 .8 1.6h1.6" fill="none" stroke="currentColor" strokeWidth="1.4" />,
}

export function StateMark({ state, look, isTitle = false }: { state: SeriesState; look: Look; isTitle?: boolean }) {
  const shape = SHAPES[state]
  const word = STATE_WORDS[state]
  return (
    <span className={join(css.state, css[look])} data-state={state}>
      {shape && (
        <svg viewBox="0 0 10 10" aria-hidden="true">
          {shape}
        </svg>
      )}
      {isTitle ? sentence(word).replace(/\.$/, '') : word}
    </span>
  )
}
