// What colours and shapes stand for, with how many there are of each, in the order of the values.
import { useLayoutEffect, useRef, useState } from 'react'

import { longName } from '../fields/catalogue'
import { arrow, count } from '../format/number'
import { Act, join } from '../ui/controls'
import css from './chart.module.css'
import { type Colours, colourOf, rampAt } from './colours'
import { failedOf, scaleOf } from './heat'
import { aboutOf, type Chart, placeWords, unitOf } from './items'
import { type Legend as Entry, legendOf, OTHER, RAMP_STEPS } from './kinds'
import { lowerFirst, STAT_WORDS } from './model'
import { shapeOf } from './shapes'

export function Swatch({ slot, colours, isHollow = false }: { slot: number; colours: Colours; isHollow?: boolean }) {
  const colour = slot === OTHER ? colours.quiet : colourOf(colours, slot)
  return (
    <svg viewBox="-6 -6 12 12" aria-hidden="true">
      <path d={shapeOf(slot)} fill={isHollow ? colours.sheet : colour} stroke={colour} strokeWidth={isHollow ? 1.6 : 0.5} />
    </svg>
  )
}

const MANY = 60
const LINE_HIGH = 24

// From little to much, with both ends in figures.
function Scale({ chart, colours }: { chart: Chart; colours: Colours }) {
  const scale = scaleOf(chart)
  const { value, items } = chart
  const without = items.filter((item) => item.value === null).length
  const failed = items.reduce((sum, item) => sum + failedOf(chart, item), 0)
  if (!value) return null
  return (
    <>
      <span className={join(css.entry, css.wide)}>
        <span>{STAT_WORDS[chart.state.stat]} {lowerFirst(value.name)} <span className="dim">{unitOf(value)} {arrow(value.field)}</span></span>
        {scale && <span className="n-11">{placeWords(value, scale.least, true)}</span>}
        {scale && (
          <svg className={css.scale} viewBox={`0 0 ${RAMP_STEPS * 10} 10`} aria-hidden="true">
            {Array.from({ length: RAMP_STEPS }, (_, i) => <rect key={i} x={i * 10} width={10} height={10} fill={rampAt(colours, i / (RAMP_STEPS - 1))} />)}
          </svg>
        )}
        {scale && <span className="n-11">{placeWords(value, scale.most, true)}</span>}
      </span>
      {without > 0 && <span className={css.entry}><svg viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-5-5H5V5H-5z" fill="none" stroke={colours.quiet} strokeDasharray="3 2" /></svg>no number <span className="n-11 dim">{count(without)}</span></span>}
      {failed > 0 && <span className={css.entry}><svg viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-5-5H5V5z" fill="currentColor" /></svg>failed runs <span className="n-11 dim">{count(failed)}</span></span>}
    </>
  )
}

const yWords = ({ y, answer }: Chart) => (answer.lines ? 'Parallel axes' : y ? y.name : 'Experiments')

export function Legend({ chart, colours }: { chart: Chart; colours: Colours }) {
  const { y, answer } = chart
  const entries: Entry[] = chart.colours ? legendOf(chart.colours.field, chart.colours.kinds, chart.colours.slots) : []
  const hollow = aboutOf(answer) ? chart.items.filter(({ isHollow }) => isHollow).length : 0
  const [isWhole, setWhole] = useState(false)
  const [isCut, setCut] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  // a line, so that nothing below moves when an answer comes; the rest is shown when it is asked for
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const watch = new ResizeObserver(() => setCut(element.scrollHeight > LINE_HIGH * 1.5))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  useLayoutEffect(() => setCut((list.current?.scrollHeight ?? 0) > LINE_HIGH * 1.5), [chart])
  return (
    <div className={css.legend} data-whole={isWhole || undefined}>
      <span className={css.ytitle}>
        {!answer.lines && <span aria-hidden="true">↑ </span>}{yWords(chart)} <span className="dim">{y ? unitOf(y) : ''}</span>
      </span>
      <div ref={list} className={css.entries} role="group" aria-label="Legend">
        {answer.lines && chart.colours && <span className="dim">{chart.colours.field.id === '' ? '' : longName(chart.colours.field)}</span>}
        {answer.grid && <Scale chart={chart} colours={colours} />}
        {entries.slice(0, MANY).map((entry) => (
          <span key={entry.kinds[0]} className={css.entry}>
            <Swatch slot={entry.slot} colours={colours} />
            <span className="clip" title={entry.words}><bdi>{entry.words}</bdi></span>
            <span className="n-11 dim">{count(entry.count)}</span>
          </span>
        ))}
        {hollow > 0 && answer.marks && <span className={css.entry}><Swatch slot={1} colours={colours} isHollow />hollow: not trusted {answer.form !== 'thinned' && <span className="n-11 dim">{count(hollow)}</span>}</span>}
        {hollow > 0 && answer.lines && <span className={css.entry}><svg viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-6 0H6" stroke="currentColor" strokeWidth="1.5" strokeDasharray="4 2" /></svg>dashed: not trusted {answer.form !== 'thinned' && <span className="n-11 dim">{count(hollow)}</span>}</span>}
        {answer.frontier?.some(({ marks }) => marks.length > 1) && (
          <span className={css.entry}>
            <svg viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-6-3H0V3H6" fill="none" stroke="currentColor" strokeWidth="1.5" /></svg>frontier
          </span>
        )}
      </div>
      {(isCut || isWhole) && <Act onPress={() => setWhole(!isWhole)}>{isWhole ? 'one line' : 'whole legend'}</Act>}
    </div>
  )
}
