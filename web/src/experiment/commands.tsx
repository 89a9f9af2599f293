// The commands that repeat an experiment, and what its file does not record.
import { useRef, useState } from 'react'

import { causeOf } from '../api/client'
import { useCommands } from '../api/queries'
import type { Commands as Answer, Experiment } from '../api/types'
import { Act, Bone, Button, join, Note } from '../ui/controls'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { save } from '../ui/save'
import { useSeen } from '../ui/use-seen'
import { visible } from '../ui/visible'
import { paths } from '../url/paths'
import css from './log.module.css'

type Command = Answer['commands'][number]

const TITLES: Record<Command['id'], string> = {
  repeat: 'Repeat with ProfLLM',
  experiment: 'Experiment file',
  server: 'Server',
  load: 'Load',
}

// The purpose of each command, as a sentence.
const PURPOSES: Record<Command['id'], string> = {
  repeat: 'Repeats the run with the same seed, request IDs and dataset.',
  experiment: 'Contains what was set. Run it with profllm run --config FILE --output RESULT.',
  server: 'Starts the server.',
  load: 'Runs the benchmark with vLLM’s own program.',
}

const INCOMPLETE = {
  missing: 'Incomplete: add what is not recorded.',
  omits: 'Incomplete: vLLM lacks options of this load.',
}

export function Commands({ experiment }: { experiment: Experiment }) {
  const section = useRef<HTMLElement>(null)
  const isSeen = useSeen(section)
  const commands = useCommands(isSeen ? experiment.id : null)
  const { data } = commands
  return (
    <section className={page.block} id="commands" aria-label="Commands" ref={section}>
      <div className={page.blockHead}>
        <h2>Commands</h2>
      </div>
      {commands.error && (
        <Note kind="warn" role="alert">
          <b>Could not load the commands.</b> {causeOf(commands.error)}{' '}
          <Act onPress={() => void commands.refetch()}>Retry</Act>
        </Note>
      )}
      {!data && !commands.error && <Bone width={520} />}
      {data && (
        <>
          {data.secrets.length > 0 && (
            <Note kind="warn">
              <b>*** replaces a secret.</b> Set it before you run a command: <bdi>{data.secrets.join(', ')}</bdi>.
            </Note>
          )}
          <div {...oneStop}>
            {data.commands.map((command) => (
              <Item key={command.id} command={command} experiment={experiment} />
            ))}
          </div>
          {data.not_recorded.length > 0 && <Missing list={data.not_recorded} />}
        </>
      )}
    </section>
  )
}

function Item({ command, experiment }: { command: Command; experiment: Experiment }) {
  const { id, text, file, reason, notes } = command
  const title = TITLES[id]
  return (
    <div className={css.command} role="group" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <p>
          {text === null ? (
            <>
              Not known: <bdi>{reason}</bdi>.
            </>
          ) : (
            join(PURPOSES[id], !command.complete && INCOMPLETE[notes.length > 0 ? 'omits' : 'missing'])
          )}
        </p>
        {text !== null && (
          <span>
            {id === 'repeat' && file !== null && <SaveResult id={experiment.id} file={file} />}
            {id === 'experiment' && file !== null && (
              <Button look="line" onPress={() => save(file, text, 'application/yaml')}>
                <Icon name="download" />
                Save
              </Button>
            )}
            <Copy text={() => text.trimEnd()} of={`: ${title}`} />
          </span>
        )}
      </header>
      {text !== null && (
        <pre>
          <bdi>{visible(text.trimEnd())}</bdi>
        </pre>
      )}
      {notes.map((note) => (
        <p key={note} className={css.quiet}>
          <bdi>{note}</bdi>
        </p>
      ))}
    </div>
  )
}

// Saves the result under the name in the command: a link would take the name that the server gives it.
function SaveResult({ id, file }: { id: number; file: string }) {
  const [isFailed, setFailed] = useState(false)
  const run = async () => {
    try {
      const answer = await fetch(paths.raw(id))
      if (!answer.ok) throw new Error(answer.statusText)
      save(file, await answer.blob())
      setFailed(false)
    } catch {
      setFailed(true)
    }
  }
  return (
    <Button look="line" onPress={() => void run()}>
      <Icon name="download" />
      <span aria-live="polite">{isFailed ? 'Could not save; retry' : 'Save the result'}</span>
    </Button>
  )
}

function Missing({ list }: { list: Answer['not_recorded'] }) {
  return (
    <div className={css.command} role="group" aria-label="Not recorded">
      <header>
        <h3>Not recorded</h3>
        <p>To repeat the run, you also need the following, which the file does not contain:</p>
      </header>
      <ul className={css.missing}>
        {list.map(({ key, text }) => (
          <li key={key}>
            <code>{key}</code>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </div>
  )
}
