// A button that copies a text, and reports whether it could.
import { useState } from 'react'

import { Button } from './controls'
import { Icon } from './icons'

const SHOWN_MS = 2000

export function Copy({ text, children = 'Copy', of }: { text: () => string; children?: string; of?: string }) {
  const [result, setResult] = useState<string | null>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      setResult('Copied')
    } catch {
      setResult('Could not copy')
    }
    setTimeout(() => setResult(null), SHOWN_MS)
  }
  return (
    <Button look="line" onPress={() => void copy()}>
      <Icon name="copy" />
      <span aria-live="polite">{result ?? children}</span>
      {of && <span className="sr"> {of}</span>}
    </Button>
  )
}
