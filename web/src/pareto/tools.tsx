// Copies the address, and saves the configurations.
import { Copy } from '../ui/copy'
import { type ExportKinds, ExportMenu } from '../ui/export-menu'
import { csvOf, jsonOf, type Shown } from './files'

const KINDS: ExportKinds<Shown> = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
}

export function Tools(shown: Omit<Shown, 'link'>) {
  return (
    <>
      <Copy text={() => window.location.href}>Copy link</Copy>
      <ExportMenu
        label="Export the configurations"
        file="profllm-pareto"
        kinds={KINDS}
        shown={() => ({ ...shown, link: window.location.href })}
      />
    </>
  )
}
