// The command that starts the server of a run.
import { causeOf } from '../api/client'
import { useCommands } from '../api/queries'
import { Act } from '../ui/controls'
import { Copy } from '../ui/copy'
import { visible } from '../ui/visible'
import css from './analysis.module.css'

export function ServerCommand({ id }: { id: number }) {
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
        <>
          <pre tabIndex={0} role="region" aria-label="Server command">
            <bdi>{visible(text)}</bdi>
          </pre>
          <Copy text={() => text} of="of the server">
            Copy command
          </Copy>
        </>
      )}
      {server && text === null && (
        <p className="dim">
          Server command not known: <bdi>{server.reason}</bdi>.
        </p>
      )}
    </div>
  )
}
