// The command that starts the server of a run, and what can be done with its configuration.
import type { ReactNode } from 'react'

import { causeOf } from '../api/client'
import { useCommands } from '../api/queries'
import { Act } from '../ui/controls'
import { Copy } from '../ui/copy'
import { oneStop } from '../ui/one-stop'
import { visible } from '../ui/visible'
import css from './analysis.module.css'

export function ServerCommand({ id, children }: { id: number; children: ReactNode }) {
  const commands = useCommands(id)
  const server = commands.data?.commands.find((command) => command.id === 'server')
  const text = server?.text?.trimEnd() ?? null
  return (
    <div className={css.command}>
      {commands.error && (
        <p role="alert">
          Could not load the command. {causeOf(commands.error)} <Act onPress={() => void commands.refetch()}>Retry</Act>
        </p>
      )}
      {text !== null && (
        <pre tabIndex={0} role="region" aria-label="Server command">
          <bdi>{visible(text)}</bdi>
        </pre>
      )}
      {server && text === null && (
        <p className="dim">
          Server command not known: <bdi>{server.reason}</bdi>.
        </p>
      )}
      <p className={css.commandActs} {...oneStop}>
        {text !== null && (
          <Copy text={() => text} of="of the server">
            Copy command
          </Copy>
        )}
        {children}
      </p>
    </div>
  )
}
