// The legend: colors and shapes with their counts, in the order of the values.
import { useLayoutEffect, useRef, useState } from 'react'

import { longName } from '../fields/catalogue'
import { arrow, count } from '../format/number'
import { Act, join } from '../ui/controls'
import css from './chart.module.css'
import { type Colours, colourOf, rampAt } from './colours'
import { scaleOf } from './heat'
import { type Chart, placeWords, unitOf } from './items'
import { type Key, keysOf } from './keys'
import { KINDS } from './kind-rows'
import { OTHER, RAMP_STEPS } from './kinds'
import { lowerFirst, STAT_WORDS } from './model'
import { shapeOf } from './shapes'

function Swatch({ look, slot, wide, colours }: Key & { colours: Colours }) {
  const color = slot === OTHER ? colours.quiet : colourOf(colours, slot)
  const box = { viewBox: '-6 -6 12 12', 'aria-hidden': true } as const
  if (look === 'size')
    return (
      <svg
        viewBox={`${-wide / 2} ${-wide / 2} ${wide} ${wide}`}
        style={{ width: wide, height: wide }}
        aria-hidden="true"
      >
        <circle r={wide / 2 - 0.5} fill="none" stroke="currentColor" />
      </svg>
    )
  if (look === 'dashed')
    return (
      <svg {...box}>
        <path d="M-6 0H6" stroke="currentColor" strokeWidth="1.5" strokeDasharray="4 2" />
      </svg>
    )
  if (look === 'frontier')
    return (
      <svg {...box}>
        <path d="M-6-3H0V3H6" fill="none" stroke="currentColor" strokeWidth="1.5" />
      </svg>
    )
  if (look === 'empty')
    return (
      <svg {...box}>
        <path d="M-5-5H5V5H-5z" fill="none" stroke={colours.quiet} strokeDasharray="3 2" />
      </svg>
    )
  if (look === 'corner')
    return (
      <svg {...box}>
        <path d="M-5-5H5V5z" fill="currentColor" />
      </svg>
    )
  if (look === 'faint')
    return (
      <svg {...box}>
        <path d={shapeOf(0)} fill="currentColor" opacity={0.4} />
      </svg>
    )
  if (look === 'hollow')
    return (
      <svg {...box}>
        <path d={shapeOf(0)} fill={colours.sheet} stroke={colours.text2} strokeWidth="1.6" />
      </svg>
    )
  return (
    <svg {...box}>
      <path d={shapeOf(slot)} fill={color} stroke={color} strokeWidth={0.5} />
    </svg>
  )
}

const LINE_HIGH = 24
const LINES = 2

// From little to much, with both ends in figures.
function Scale({ chart, colours }: { chart: Chart; colours: Colours }) {
  const scale = scaleOf(chart)
  const { value } = chart
  if (!value) return null
  return (
    <span className={join(css.entry, css.wide)}>
      <span>
        {STAT_WORDS[chart.state.stat]} {lowerFirst(value.name)}{' '}
        <span className="dim">
          {unitOf(value)} {arrow(value.field)}
        </span>
      </span>
      {scale && (
        <span className={css.ends}>
          <span className="n-11">{placeWords(value, scale.least, true)}</span>
          <svg className={css.scale} viewBox={`0 0 ${RAMP_STEPS * 10} 10`} aria-hidden="true">
            {Array.from({ length: RAMP_STEPS }, (_, i) => (
              <rect key={i} x={i * 10} width={10} height={10} fill={rampAt(colours, i / (RAMP_STEPS - 1))} />
            ))}
          </svg>
          <span className="n-11">{placeWords(value, scale.most, true)}</span>
        </span>
      )}
    </span>
  )
}

const yWords = ({ y, answer, state }: Chart) => (answer.lines ? KINDS[state.kind].words : y ? y.name : 'Experiments')

export function Legend({ chart, colours }: { chart: Chart; colours: Colours }) {
  const { y, answer } = chart
  const [isWhole, setWhole] = useState(false)
  const [isCut, setCut] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  // two lines at most, so that the plot keeps its height
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const watch = new ResizeObserver(() => setCut(element.scrollHeight > LINE_HIGH * (LINES + 0.5)))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another chart has another legend
  useLayoutEffect(() => setCut((list.current?.scrollHeight ?? 0) > LINE_HIGH * (LINES + 0.5)), [chart])
  return (
    <div className={css.legend} data-whole={isWhole || undefined}>
      <span className={css.ytitle}>
        {!answer.lines && <span aria-hidden="true">↑ </span>}
        {yWords(chart)} <span className="dim">{y ? unitOf(y) : ''}</span>
      </span>
      <div ref={list} className={css.entries} role="group" aria-label="Legend">
        {answer.lines && chart.colours && (
          <span className="dim">{chart.colours.field.id === '' ? '' : longName(chart.colours.field)}</span>
        )}
        {answer.grid && <Scale chart={chart} colours={colours} />}
        {keysOf(chart).map((key, at) => (
          <span key={at} className={css.entry}>
            <Swatch {...key} colours={colours} />
            <span className="clip" title={key.words}>
              <bdi>{key.words}</bdi>
            </span>
            {key.count !== null && (
              <>
                {' '}
                <span className="n-11 dim">{count(key.count)}</span>
              </>
            )}
          </span>
        ))}
      </div>
      {(isCut || isWhole) && (
        <Act onPress={() => setWhole(!isWhole)}>{isWhole ? 'Shorten legend' : 'Show full legend'}</Act>
      )}
    </div>
  )
}
