// Copy as Markdown, or a file.
import { useState } from 'react'

import { Button } from '../ui/controls'
import { type ExportKinds, ExportMenu } from '../ui/export-menu'
import { Icon } from '../ui/icons'
import { csvOf, jsonOf, markdownOf, type Shown } from './files'

const SAID_MS = 2500
const KINDS: ExportKinds<Shown> = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
  md: ['Markdown', markdownOf, 'text/markdown'],
}

export function Take({ shown }: { shown: Shown }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(markdownOf(shown))
      setSaid('Copied')
    } catch {
      setSaid('Could not copy the table')
    }
    setTimeout(() => setSaid(''), SAID_MS)
  }
  return (
    <>
      <Button look="line" onPress={() => void copy()}>
        <Icon name="copy" />
        <span aria-live="polite">{said || 'Copy as Markdown'}</span>
      </Button>
      <ExportMenu label="Export the comparison" file="profllm-comparison" kinds={KINDS} shown={() => shown} />
    </>
  )
}
