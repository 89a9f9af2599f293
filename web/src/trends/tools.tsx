// Copies the address, and saves the list of verdicts.
import { Copy } from '../ui/copy'
import { type ExportKinds, ExportMenu } from '../ui/export-menu'
import { csvOf, jsonOf, type Shown } from './files'

const KINDS: ExportKinds<Shown> = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
}

export function Tools({ shown }: { shown: Shown['answer'] }) {
  return (
    <>
      <Copy text={() => window.location.href}>Copy link</Copy>
      <ExportMenu
        label="Export the verdicts"
        file="profllm-trends"
        kinds={KINDS}
        shown={() => ({ answer: shown, link: window.location.href })}
      />
    </>
  )
}
