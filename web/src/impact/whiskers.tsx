// Effects as dots with their intervals on one logarithmic axis, sorted as they came.
import type { Impact, ImpactEffect } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { Act } from '../ui/controls'
import { Explained } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import { CellsFigure, EffectFigure, ImportanceFigure } from './figures'
import css from './impact.module.css'
import { type Axis, changeWords, effectName, FINDINGS, findingWords, intervalWords, pWords, ratioWords } from './model'

interface Props {
  answer: Impact
  axis: Axis
  opened: ImpactEffect | undefined
  catalogue: Catalogue
  onOpen: (effect: ImpactEffect) => void
}

export function Whiskers({ answer, axis, opened, catalogue, onOpen }: Props) {
  return (
    <div className={css.whiskers} role="table" aria-label="Effects">
      <div role="rowgroup">
        <div className={css.whiskerHead} role="row">
          <span role="columnheader">Input</span>
          <span role="columnheader" className={css.axis}>
            <span className="sr">Effect</span>
            {axis.ticks.map(({ ratio, at, words }) => (
              <i key={ratio} style={{ left: `${at}%` }} aria-hidden="true">
                {words}
              </i>
            ))}
          </span>
          <span role="columnheader">Effect, 95 % CI</span>
          <span role="columnheader">Cells</span>
          <span role="columnheader">Finding</span>
          <span role="columnheader">Importance</span>
        </div>
      </div>
      <div role="rowgroup" {...oneStop}>
        {answer.effects.map((effect) => (
          <Whisker
            key={effect.inputs[0]?.field}
            isOpen={effect === opened}
            {...{ effect, answer, axis, catalogue, onOpen }}
          />
        ))}
      </div>
    </div>
  )
}

interface WhiskerProps extends Omit<Props, 'opened'> {
  effect: ImpactEffect
  isOpen: boolean
}

function Whisker({ effect, answer, isOpen, axis, catalogue, onOpen }: WhiskerProps) {
  const [contrast] = effect.contrasts
  if (!contrast) return null
  const name = effectName(effect, catalogue)
  return (
    <div className={css.whisker} role="row" data-opened={isOpen || undefined} aria-current={isOpen || undefined}>
      <span role="rowheader" className={css.effectName}>
        <Act prints aria-pressed={isOpen} onPress={() => onOpen(effect)}>
          {name}
        </Act>
        <small>
          <bdi>{changeWords(effect.inputs, contrast, catalogue)}</bdi>
          {effect.inputs.length > 1 && ', vary only together'}
        </small>
      </span>
      <span role="cell" className={css.axis}>
        <Dot {...{ effect, axis }} />
      </span>
      <span role="cell" className={css.ratio}>
        <EffectFigure {...{ effect, answer, catalogue }} />
        <small>{intervalWords(contrast)}</small>
      </span>
      <span role="cell" className={css.number}>
        <CellsFigure contrast={contrast} />
        <span className={css.onlyNarrow}>{contrast.cell_count === 1 ? ' cell' : ' cells'}</span>
      </span>
      <span role="cell" data-finding={effect.finding} className={css.finding}>
        <Explained name={`Finding for ${name}`} rows={findingRows(effect, answer.effect)}>
          {FINDINGS[effect.finding]}
        </Explained>
      </span>
      <span role="cell" className={css.number}>
        <span className={css.onlyNarrow}>importance </span>
        <ImportanceFigure {...{ effect, answer, name }} />
      </span>
    </div>
  )
}

const findingRows = (effect: ImpactEffect, least: number): [string, string][] => [
  ['Definition', findingWords(effect.finding, least)],
  ['p of no effect', pWords(effect.contrasts[0]?.p ?? null)],
  ['False discovery rate, q', pWords(effect.q)],
]

// The dot, its interval, and the ratio of the plain group means as a hollow diamond.
function Dot({ effect, axis }: { effect: ImpactEffect; axis: Axis }) {
  const [contrast] = effect.contrasts
  const { ratio = null, low = null, high = null, plain } = contrast ?? {}
  if (ratio === null) return null
  const plainRatio = plain?.ratio ?? null
  const words = `${ratioWords(ratio)}, 95 % CI ${intervalWords({ low, high })}; plain group means ${ratioWords(plainRatio)}`
  return (
    <svg className={css.dot} data-finding={effect.finding} role="img" aria-label={words}>
      <title>{words}</title>
      {axis.ticks.map((tick) => (
        <line
          key={tick.ratio}
          className={css.grid}
          data-one={tick.ratio === 1 || undefined}
          x1={`${tick.at}%`}
          x2={`${tick.at}%`}
          y1="0"
          y2="100%"
        />
      ))}
      {plainRatio !== null && plainRatio > 0 && (
        <svg x={`${axis.at(plainRatio)}%`} y="50%" overflow="visible">
          <path className={css.plain} d="M0-5L5 0 0 5-5 0z" />
        </svg>
      )}
      {low !== null && high !== null && (
        <line className={css.interval} x1={`${axis.at(low)}%`} x2={`${axis.at(high)}%`} y1="50%" y2="50%" />
      )}
      {low !== null && !axis.isCut(low) && <End at={axis.at(low)} />}
      {high !== null && !axis.isCut(high) && <End at={axis.at(high)} />}
      <svg x={`${axis.at(ratio)}%`} y="50%" overflow="visible">
        {effect.finding === 'worse' || effect.finding === 'lower' ? (
          <rect className={css.mark} x="-4.5" y="-4.5" width="9" height="9" />
        ) : (
          <circle
            className={css.mark}
            r="5"
            data-hollow={['none', 'unclear', 'unknown'].includes(effect.finding) || undefined}
          />
        )}
      </svg>
    </svg>
  )
}

const End = ({ at }: { at: number }) => (
  <svg x={`${at}%`} y="50%" overflow="visible">
    <line className={css.interval} y1="-4" y2="4" />
  </svg>
)
