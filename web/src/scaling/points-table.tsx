// All points of all lines as a table: each number has its definition, runs and interval one key away.
import { Link } from 'wouter'

import type { Scaling } from '../api/types'
import { shapeOf } from '../chart/shapes'
import { colourOf } from '../chart/slots'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, formFor } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import { Slot } from '../tray/slot'
import { Act } from '../ui/controls'
import { Explained } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import {
  AXIS_NAMES,
  intervalOf,
  layoutOf,
  limitOf,
  paysOf,
  type Placed,
  ratioOf,
  runs,
  shareOf,
  showIn,
  sourceOf,
} from './model'
import css from './scaling.module.css'

export const LineMark = ({ slot }: { slot: number }) => (
  <svg className={css.slot} viewBox="-6 -6 12 12" aria-hidden="true">
    <path d={shapeOf(slot)} fill={colourOf(slot)} />
  </svg>
)

const Pinned = ({ letter }: { letter: string | undefined }) => letter !== undefined && <Slot letter={letter} />

interface Props {
  answer: Scaling
  all: Placed[]
  catalogue: Catalogue
  opened: number | null
  letterOf: (one: Placed) => string | undefined // of its pin
  onOpen: (id: number) => void
}

export function PointsTable({ answer, all, catalogue, opened, letterOf, onOpen }: Props) {
  const metric = catalogue.get(answer.metric.field)
  const show = showIn(
    formFor(
      metric,
      all.map(({ point }) => point.value.mean),
    ),
  )
  const panels = answer.panels.map((panel, i) => {
    const field = catalogue.get(panel.field)
    return {
      field,
      show: showIn(
        formFor(
          field,
          all.map(({ point }) => point.panels[i]?.mean),
        ),
      ),
    }
  })
  const hasLines = answer.lines.length > 1
  return (
    <div className={page.scroll} tabIndex={0} role="region" aria-label="Sizes table" aria-description="Scrolls">
      <table className={page.rows} {...oneStop}>
        <thead>
          <tr>
            {hasLines && <th scope="col">Line</th>}
            <th scope="col">{AXIS_NAMES[answer.axis]}</th>
            <th scope="col">Layout</th>
            {[
              ...(answer.axis === 'gpus' ? [] : ['GPUs']),
              'Runs',
              longName(metric),
              'Per GPU',
              'Speed-up',
              'Efficiency',
              'Gain',
              ...panels.map(({ field }) => longName(field)),
            ].map((name) => (
              <th key={name} scope="col" className={page.num}>
                {name}
              </th>
            ))}
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => {
            const { point } = one
            const n: [string, string] = ['n', runs(point.ids.length)]
            return (
              <tr
                key={`${one.line.id} ${one.id}`}
                data-opened={one.id === opened || undefined}
                aria-current={one.id === opened || undefined}
              >
                {hasLines && (
                  <th scope="row" className={page.text}>
                    <LineMark slot={one.slot} /> <bdi title={one.line.label}>{one.label}</bdi>
                  </th>
                )}
                <td>
                  <Link href={paths.experiment(one.id)}>{point.size}</Link> <Pinned letter={letterOf(one)} />
                </td>
                <td>
                  <bdi>{layoutOf(point)}</bdi>
                  {!point.on_line && <small> next to the line</small>}
                </td>
                {answer.axis !== 'gpus' && (
                  <td className={page.num}>
                    <Explained
                      name="GPUs"
                      rows={[
                        ['Source', sourceOf(point)],
                        ['Recorded', point.gpus_recorded === null ? NOT_RECORDED : count(point.gpus_recorded)],
                        n,
                      ]}
                    >
                      {point.gpus === null ? 'unknown' : count(point.gpus)}
                    </Explained>
                  </td>
                )}
                <td className={page.num}>{count(point.ids.length)}</td>
                <td className={page.num}>
                  <Explained
                    name={longName(metric)}
                    rows={[['Definition', metric.help || metric.id], n, ['95 % CI', intervalOf(point.value, show)]]}
                  >
                    {point.value.mean === null ? NOT_RECORDED : show(point.value.mean)}
                  </Explained>
                </td>
                <td className={page.num}>
                  <Explained
                    name="Per GPU"
                    rows={[
                      ['Definition', 'The metric divided by the GPUs. Not defined if a lower value is better.'],
                      ['GPUs', `${point.gpus ?? 'unknown'}, ${sourceOf(point)}`],
                      n,
                      ['95 % CI', intervalOf(point.per_gpu, show)],
                    ]}
                  >
                    {point.per_gpu.mean === null ? NOT_RECORDED : show(point.per_gpu.mean)}
                  </Explained>
                </td>
                <td className={page.num}>
                  <Explained
                    name="Speed-up"
                    rows={[
                      [
                        'Definition',
                        'The mean divided by that of the smallest size, or the inverse if lower is better.',
                      ],
                      ['Ideal', ratioOf(point.ideal)],
                      n,
                      ['95 % CI', intervalOf(point.speedup, ratioOf)],
                    ]}
                  >
                    {ratioOf(point.speedup.value)}
                  </Explained>
                </td>
                <td className={page.num}>
                  <Explained
                    name="Efficiency"
                    rows={[
                      [
                        'Definition',
                        'The speed-up divided by the ideal one: the GPUs, divided by those of the smallest size.',
                      ],
                      n,
                      ['95 % CI', intervalOf(point.efficiency, shareOf)],
                    ]}
                  >
                    {shareOf(point.efficiency.value)}
                  </Explained>
                </td>
                <td className={page.num}>
                  <Explained
                    name="Gain"
                    rows={[
                      [
                        'Definition',
                        'Speed-up beyond that of the previous size, divided by the same difference of the ideal.',
                      ],
                      ['Limit', `${limitOf(answer.gain_limit)}: ${paysOf(point) || 'no gain'}`],
                      n,
                      ['95 % CI', intervalOf(point.gain, shareOf)],
                    ]}
                  >
                    {shareOf(point.gain.value)}
                  </Explained>
                  {paysOf(point) && <small> {paysOf(point)}</small>}
                </td>
                {panels.map((panel, i) => {
                  const value = point.panels[i]
                  return (
                    <td key={panel.field.id} className={page.num}>
                      {value?.mean == null ? (
                        NOT_RECORDED
                      ) : (
                        <Explained
                          name={longName(panel.field)}
                          rows={[
                            ['Definition', panel.field.help || panel.field.id],
                            ['n', runs(value.count)],
                            ['95 % CI', intervalOf(value, panel.show)],
                          ]}
                        >
                          {panel.show(value.mean)}
                        </Explained>
                      )}
                    </td>
                  )
                })}
                <td>
                  <Act onPress={() => onOpen(one.id)} aria-label={`Show the command, ${one.name}`}>
                    Command
                  </Act>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
