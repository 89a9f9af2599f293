// The groups with their figures, and all configurations, as tables.
import { memo, useState } from 'react'
import { Link } from 'wouter'

import type { Pareto, Slo } from '../api/types'
import { shapeOf } from '../chart/shapes'
import { colourOf } from '../chart/slots'
import { type Catalogue, longName } from '../fields/catalogue'
import { boundText, count, formFor, formOfUnit, showNumber } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import { Act, Button, join } from '../ui/controls'
import { Explained, ExplainedHead } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import { type Configuration, configurations, type Group, intervalOf, percentOf, runs } from './model'
import css from './pareto.module.css'
import type { Axis } from './plot'

const PAGE = 200

export const GroupMark = ({ slot }: { slot: number }) => (
  <svg className={css.slot} viewBox="-6 -6 12 12" aria-hidden="true">
    <path d={shapeOf(slot)} fill={colourOf(slot)} />
  </svg>
)

// Shows the range of the third metric, with the smallest and the largest mark.
export function SizeLegend({ axis: { field, form, way }, all }: { axis: Axis; all: Configuration[] }) {
  const known = all.flatMap(({ z }) => z ?? [])
  if (known.length === 0) return null
  const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))]
  return (
    <span title={field.help}>
      <svg className={css.sizes} viewBox="-9 -9 30 18" aria-hidden="true">
        <path d={shapeOf(0)} transform="translate(-5 0) scale(0.5)" fill="currentColor" />
        <path d={shapeOf(0)} transform="translate(10 0) scale(1.3)" fill="currentColor" />
      </svg>
      size: {longName(field)}, {showNumber(low, form)} to {showNumber(high, form)} {form.unit},{' '}
      {way === 'higher' ? 'larger' : 'smaller'} is better
    </span>
  )
}

interface GroupsProps {
  answer: Pareto
  groups: Group[]
  all: Configuration[]
  axes: [Axis, Axis, ...Axis[]]
  name: string // of the field that groups
  catalogue: Catalogue
  onOpen: (id: number) => void
}

// Its figures stay the same while the rest of the page changes.
export const Groups = memo(function Groups({ answer, groups, all, axes, name, catalogue, onOpen }: GroupsProps) {
  const volume = formOfUnit(
    '',
    groups.map(({ answer: { hypervolume } }) => hypervolume.value),
  )
  return (
    <div className={page.scroll} tabIndex={0} role="region" aria-label="Frontiers table" aria-description="Scrolls">
      <table className={page.rows}>
        <thead>
          <tr>
            <th scope="col">{name || 'Frontier'}</th>
            <ExplainedHead
              name="Experiments"
              className={page.num}
              rows={[['Definition', 'Results of the group that have all metrics.']]}
            />
            <ExplainedHead
              name="Configurations"
              className={page.num}
              rows={[
                ['Definition', 'Sets of results with equal inputs, engine, release, GPU model and GPU count.'],
                ['n', 'the experiments of the group'],
              ]}
            />
            <th scope="col" className={page.num}>
              On frontier
            </th>
            <ExplainedHead
              name="Dominated"
              className={page.num}
              rows={[
                [
                  'Definition',
                  'Share of the configurations that another one of the group equals or beats in all metrics, by the means.',
                ],
                ['n', 'the configurations of the group'],
                ['95 % CI', 'none; each configuration has a membership by resampling'],
              ]}
            />
            <th scope="col" className={page.num}>
              Hypervolume
            </th>
            {answer.limits.map(({ field, value, wanted }) => (
              <th key={field} scope="col" className={page.num}>
                {longName(catalogue.get(wanted ?? ''))} at {longName(catalogue.get(field))}{' '}
                {boundText(value, formFor(catalogue.get(field), [value]))}
              </th>
            ))}
            <th scope="col">Knee</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => {
            const { answer: of } = group
            const knee = all.find((one) => one.group === group && one.point.knee)
            return (
              <tr key={group.at}>
                <th scope="row">
                  <GroupMark slot={group.slot} /> <bdi title={group.full}>{group.label || 'all'}</bdi>
                </th>
                <td className={page.num}>{count(of.count)}</td>
                <td className={page.num}>{count(of.configuration_count)}</td>
                <td className={page.num}>
                  <Explained
                    name="Configurations on the frontier"
                    rows={[
                      [
                        'Definition',
                        'Configurations whose means no other configuration of the group beats in all metrics.',
                      ],
                      ['n', configurations(of.configuration_count)],
                      [
                        'Surely on it',
                        of.has_spread
                          ? count(of.points.filter(({ membership }) => membership === 'surely').length)
                          : 'unknown: too few repeated runs',
                      ],
                    ]}
                  >
                    {count(of.frontier_count)}
                  </Explained>
                </td>
                <td className={page.num}>{percentOf(of.dominated_share)}</td>
                <td className={page.num}>
                  {of.hypervolume.value === null ? (
                    NOT_RECORDED
                  ) : (
                    <>
                      <Explained
                        name="Hypervolume"
                        rows={[
                          [
                            'Definition',
                            `${axes.length > 2 ? 'Volume' : 'Area'} that the frontier dominates, up to the worst mean of each metric among all groups. Higher is better.`,
                          ],
                          [
                            'Reference',
                            answer.reference
                              .map((one, i) => {
                                const form = axes[i]?.form
                                return one === null || !form
                                  ? NOT_RECORDED
                                  : `${showNumber(one, form)} ${form.unit}`.trim()
                              })
                              .join(', '),
                          ],
                          ['n', runs(of.count)],
                          ['95 % CI', intervalOf(of.hypervolume, volume)],
                        ]}
                      >
                        {showNumber(of.hypervolume.value, volume)}
                      </Explained>
                      <small>{of.hypervolume.low !== null && intervalOf(of.hypervolume, volume)}</small>
                    </>
                  )}
                </td>
                {of.limits.map((limit, i) => {
                  const asked = answer.limits[i]
                  const field = catalogue.get(asked?.wanted ?? '')
                  const form = formFor(field, [limit.value])
                  return (
                    <td key={asked?.field ?? i} className={page.num}>
                      {limit.value === null ? (
                        'none keeps it'
                      ) : (
                        <>
                          <Explained
                            name={`${longName(field)} at the limit`}
                            rows={[
                              [
                                'Definition',
                                'Best mean among the configurations whose mean of the other metric keeps the limit.',
                              ],
                              ['n', runs(limit.ids.length)],
                              ['95 % CI', `${intervalOf(limit, form)} ${form.unit}`.trim()],
                              ['Keeps it', `in ${percentOf(limit.feasible_share)} of resamples`],
                            ]}
                          >
                            {showNumber(limit.value, form)}
                          </Explained>{' '}
                          {form.unit}
                          <small>{limit.low !== null && intervalOf(limit, form)}</small>
                        </>
                      )}
                    </td>
                  )
                })}
                <td>{knee ? <Act onPress={() => onOpen(knee.id)}>{knee.name}</Act> : NOT_RECORDED}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
})

interface PointsProps {
  label?: string
  all: Configuration[]
  axes: [Axis, Axis, ...Axis[]]
  kept: ReadonlyMap<number, boolean | null> | null // null: no limits
  slo: Slo | undefined
  groupName: string
  opened: number | null
  onOpen: (id: number) => void
}

export const Points = memo(function Points({
  label = 'Configurations table',
  all,
  axes,
  kept,
  slo,
  groupName,
  opened,
  onOpen,
}: PointsProps) {
  const [wanted, setPage] = useState(0)
  const pages = Math.max(1, Math.ceil(all.length / PAGE))
  const at = Math.min(wanted, pages - 1)
  const feasible = new Map(slo?.configurations.flatMap((one) => one.ids.map((id) => [id, one.feasible] as const)))
  return (
    <>
      <div
        className={join(page.scroll, css.tall)}
        tabIndex={0}
        role="region"
        aria-label={label}
        aria-description="Scrolls"
      >
        <table className={page.rows} aria-rowcount={all.length + 1} {...oneStop}>
          <thead>
            <tr>
              <th scope="col">Configuration</th>
              {groupName && <th scope="col">{groupName}</th>}
              <th scope="col" className={page.num}>
                Runs
              </th>
              {axes.map(({ field, form }) => [
                <ExplainedHead
                  key={field.id}
                  name={longName(field)}
                  unit={form.unit}
                  className={page.num}
                  rows={[
                    ['Definition', `${field.help || field.id}. Mean of the runs.`],
                    ['n', 'column Runs'],
                    ['95 % CI', "Student's interval over the runs, in the next column"],
                  ]}
                />,
                <th key={`${field.id} ci`} scope="col" className={page.num}>
                  95 % CI
                </th>,
              ])}
              <ExplainedHead
                name="On the frontier"
                rows={[
                  [
                    'Definition',
                    'Surely: on the frontier in at least 95 % of 1,000 resamples of the runs. Not: in at most 5 %. By the means: too few repeated runs to resample.',
                  ],
                  ['n', 'column Runs'],
                ]}
              />
              <ExplainedHead
                name="Share"
                className={page.num}
                rows={[
                  ['Definition', 'Share of 1,000 resamples of the runs in which the configuration is on the frontier.'],
                  ['n', 'column Runs'],
                ]}
              />
              {kept && (
                <ExplainedHead
                  name="Within limits"
                  rows={[
                    [
                      'Definition',
                      "Surely: Student's 95 % interval of each mean keeps its limit. Not: some interval breaks its limit. Perhaps: neither. Unknown: a single run or a missing value.",
                    ],
                    ['n', 'column Runs'],
                  ]}
                />
              )}
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {all.slice(at * PAGE, (at + 1) * PAGE).map((one, i) => (
              <tr
                key={one.at}
                aria-rowindex={at * PAGE + i + 2}
                data-opened={one.id === opened || undefined}
                aria-current={one.id === opened || undefined}
              >
                <th scope="row">
                  <Link href={paths.experiment(one.id)} title={one.full}>
                    <bdi>{one.name}</bdi>
                  </Link>
                </th>
                {groupName && (
                  <td>
                    <GroupMark slot={one.group.slot} /> <bdi>{one.group.label}</bdi>
                  </td>
                )}
                <td className={page.num}>{count(one.point.ids.length)}</td>
                {axes.map(({ field, form }, k) => {
                  const value = one.point.values[k]
                  return [
                    <td key={field.id} className={page.num}>
                      {value?.mean == null ? NOT_RECORDED : showNumber(value.mean, form)}
                    </td>,
                    <td key={`${field.id} ci`} className={page.num}>
                      {value ? intervalOf(value, form) : NOT_RECORDED}
                    </td>,
                  ]
                })}
                <td>
                  {one.point.membership === 'unknown'
                    ? one.point.frontier
                      ? 'by the means'
                      : 'no'
                    : one.point.membership}
                  {one.point.knee && ', knee'}
                </td>
                <td className={page.num}>{percentOf(one.point.share)}</td>
                {kept && (
                  <td>
                    {feasible.get(one.id) ??
                      { true: 'yes', false: 'no', null: 'not known' }[`${kept.get(one.at) ?? null}`]}
                  </td>
                )}
                <td>
                  <Act aria-label={`Details of ${one.name}`} onPress={() => onOpen(one.id)}>
                    Details
                  </Act>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <p className={css.pages}>
          <Button look="line" isDisabled={at === 0} onPress={() => setPage(at - 1)}>
            Previous
          </Button>
          <span>
            {count(at * PAGE + 1)} to {count(Math.min(all.length, (at + 1) * PAGE))} of {count(all.length)}
          </span>
          <Button look="line" isDisabled={at === pages - 1} onPress={() => setPage(at + 1)}>
            Next
          </Button>
        </p>
      )}
    </>
  )
})
