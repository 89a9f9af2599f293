// Fields that changed together, and the runs that tell them apart.
import { useMemo, useState } from 'react'

import { causeOf } from '../api/client'
import { useCommands } from '../api/queries'
import { type Catalogue, longName } from '../fields/catalogue'
import { count } from '../format/number'
import { Act, Bone, Button, Note } from '../ui/controls'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import { save } from '../ui/save'
import { visible } from '../ui/visible'
import type { Change } from './model'
import { commandOf, fileOf, type Plan, planOf, REPEATS } from './plan'
import css from './trends.module.css'

interface Props {
  fields: string[]
  change: Change
  catalogue: Catalogue
}

export function Inseparable({ fields, change, catalogue }: Props) {
  const [isOpen, setOpen] = useState(false)
  const plan = useMemo(() => planOf(fields, change.causes), [fields, change])
  return (
    <div className={css.apart}>
      <Note>
        {namesOf(fields, catalogue)} changed together, so this history cannot separate them. Runs with only one of them
        changed can.{' '}
        {plan && (
          <Act aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the plan' : `Plan ${count(plan.points.length * REPEATS)} runs that separate them`}
          </Act>
        )}
      </Note>
      {plan && isOpen && <Planned {...{ plan, change, catalogue }} />}
    </div>
  )
}

const namesOf = (fields: string[], catalogue: Catalogue) =>
  fields.map((id) => longName(catalogue.get(id))).join(' and ')

const FILE = 'separate.yaml'

function Planned({ plan, change, catalogue }: { plan: Plan; change: Change; catalogue: Catalogue }) {
  const commands = useCommands(change.id_after)
  const experiment = commands.data?.commands.find(({ id }) => id === 'experiment')
  const { others, varied, points } = plan
  return (
    <div className={css.plan} role="group" aria-label="Plan">
      <p>
        {count(points.length)} combinations, {REPEATS} runs of each, in mixed order:{' '}
        {varied.length > 1
          ? 'all values before, each field alone with its value after, and all values after'
          : 'the value before and the value after'}
        . A field whose value alone brings the change is its cause.{' '}
        {others.length > 0 &&
          `A file cannot set ${namesOf(others, catalogue)}: if no combination brings the change, it is the cause.`}
      </p>
      {commands.error && (
        <Note kind="bad" role="alert">
          <b>Could not load the experiment.</b> {causeOf(commands.error)}{' '}
          <Act onPress={() => void commands.refetch()}>Retry</Act>
        </Note>
      )}
      {!commands.data && !commands.error && <Bone width={480} />}
      {commands.data && experiment?.text == null && (
        <Note kind="warn">
          The first experiment after the change does not contain its experiment file
          {experiment?.reason ? `: ${experiment.reason}` : ''}.
        </Note>
      )}
      {experiment?.text != null && (
        <>
          {(commands.data?.secrets.length ?? 0) > 0 && (
            <Note kind="warn">
              <b>*** replaces a secret.</b> Set it before you run the sweep.
            </Note>
          )}
          <pre>
            <bdi>{visible(fileOf(experiment.text, plan).trimEnd())}</bdi>
          </pre>
          <p className={css.acts}>
            <Button look="line" onPress={() => save(FILE, fileOf(experiment.text ?? '', plan), 'application/yaml')}>
              <Icon name="download" />
              Save {FILE}
            </Button>
            <Copy text={() => commandOf(FILE)}>Copy command</Copy>
          </p>
          <pre>{commandOf(FILE)}</pre>
        </>
      )}
    </div>
  )
}
