// Where files are chosen, by pointer, keyboard or clipboard, and what becomes of those that are there already.
import { useEffect, useRef } from 'react'

import { Button, Segment } from '../ui/controls'
import { useSend } from './drop-anywhere'
import { filesOfClipboard, filesOfInput } from './files'
import { type Choice, FILE_MAX } from './sender'
import { useUploads } from './store'
import css from './upload.module.css'

export const CHOICES: [Choice, string][] = [['skip', 'Skip'], ['keep', 'Keep both'], ['replace', 'Replace']]
const SAID: Record<Choice, string> = {
  skip: 'Stored results stay. If a file conflicts with one, you decide.',
  keep: 'Conflicting files are stored as repeats.',
  replace: 'Files replace stored results with the same run id.',
}

// A folder's picker and a files', for whoever has a button for them.
export function usePickers() {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const send = useSend()
  const take = (input: HTMLInputElement) => {
    const chosen = filesOfInput(input.files)
    input.value = '' // the same file again is a change, too
    send(chosen)
  }
  const inputs = (
    <>
      <input ref={folder} type="file" multiple hidden aria-label="A folder of results" data-testid="folder" {...{ webkitdirectory: '' }} onChange={(event) => take(event.currentTarget)} />
      <input ref={files} type="file" multiple hidden aria-label="Result files" data-testid="files" onChange={(event) => take(event.currentTarget)} />
    </>
  )
  return { inputs, pickFiles: () => files.current?.click(), pickFolder: () => folder.current?.click() }
}

function usePaste() {
  const send = useSend()
  const latest = useRef(send)
  latest.current = send
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, [contenteditable]')
      if (!isTyping && event.clipboardData) latest.current(filesOfClipboard(event.clipboardData))
    }
    window.addEventListener('paste', paste)
    return () => window.removeEventListener('paste', paste)
  }, [])
}

export function DropZone({ pickFiles, pickFolder }: { pickFiles: () => void; pickFolder: () => void }) {
  const onKnown = useUploads((uploads) => uploads.onKnown)
  const choose = useUploads((uploads) => uploads.chooseOnKnown)
  usePaste()
  return (
    <>
      <div className={css.drop}>
        <svg width="28" height="28" viewBox="0 0 28 28" fill="none" stroke="var(--text-2)" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
          <path d="M14 17V4M9 9l5-5 5 5M4 17v5.5c0 .8.7 1.5 1.5 1.5h17c.8 0 1.5-.7 1.5-1.5V17" />
        </svg>
        <div>
          <b>Drop files or a folder anywhere on this page</b>
          <p>Or paste them. Up to {FILE_MAX / 1024 / 1024} MiB per file, thousands at a time. Also <code>profllm upload FILE… --to {window.location.origin}</code></p>
        </div>
        <div className={css.acts}>
          <Button look="line" onPress={pickFolder}>Choose a folder</Button>
          <Button look="fill" onPress={pickFiles}>Choose files</Button>
        </div>
      </div>
      <div className={css.known}>
        <span>Existing results</span>
        <Segment label="Existing results" value={onKnown} onChange={(choice) => choose(choice as Choice)} options={CHOICES} />
        <span className="dim">{SAID[onKnown]}</span>
      </div>
    </>
  )
}
