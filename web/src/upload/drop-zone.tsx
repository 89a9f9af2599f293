// Chooses files by pointer, keyboard or clipboard, and sets the conflict policy.
import { useEffect, useRef } from 'react'

import { Button, join, Note, Segment } from '../ui/controls'
import { useMedia } from '../ui/use-media'
import { useRefusal } from '../ui/user'
import { useSend } from './drop-anywhere'
import { filesOfClipboard, filesOfInput } from './files'
import { type Choice, FILE_MAX } from './sender'
import { useUploads } from './store'
import css from './upload.module.css'

export const CHOICES: [Choice, string][] = [
  ['skip', 'Skip'],
  ['keep', 'Keep both'],
  ['replace', 'Replace'],
]
// The end of a sentence about a file in conflict.
const EFFECTS: Record<Choice, string> = {
  skip: 'the new file is not stored; you can still decide about each such file after the upload.',
  keep: 'the new file is stored, too, as a repeat.',
  replace: 'the new file replaces the stored result.',
}

// The hidden inputs that open the file picker and the folder picker.
export function usePickers() {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const send = useSend()
  const take = (input: HTMLInputElement) => {
    const chosen = filesOfInput(input.files)
    input.value = '' // choosing the same file again is a change
    send(chosen)
  }
  const inputs = (
    <>
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label="A folder of results"
        data-testid="folder"
        {...{ webkitdirectory: '' }}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Result files"
        data-testid="files"
        onChange={(event) => take(event.currentTarget)}
      />
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

// isSmall: buttons alone, where an upload is shown below
export function DropZone({
  pickFiles,
  pickFolder,
  isSmall,
}: {
  pickFiles: () => void
  pickFolder: () => void
  isSmall: boolean
}) {
  const onKnown = useUploads((uploads) => uploads.onKnown)
  const choose = useUploads((uploads) => uploads.chooseOnKnown)
  const isTouch = useMedia('(hover: none)')
  const refusal = useRefusal('write')
  usePaste()
  if (refusal) return <Note>Uploading needs a token with the role write or admin.</Note>
  const policy = (
    <span className={css.policy}>
      <span>On conflict</span>
      <Segment label="On conflict" value={onKnown} onChange={(choice) => choose(choice as Choice)} options={CHOICES} />
    </span>
  )
  const effect = (
    <span className="dim">If a stored result has the same run ID but different content, {EFFECTS[onKnown]}</span>
  )
  if (isSmall) {
    return (
      <div className={join(css.known, css.small)}>
        <Button look="line" onPress={pickFiles}>
          Choose files
        </Button>
        <Button look="line" onPress={pickFolder}>
          Choose a folder
        </Button>
        {!isTouch && <span className="dim">You can also drop or paste files.</span>}
        {policy}
        {effect}
      </div>
    )
  }
  return (
    <>
      <div className={css.drop}>
        <svg
          width="28"
          height="28"
          viewBox="0 0 28 28"
          fill="none"
          stroke="var(--text-2)"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          aria-hidden="true"
        >
          <path d="M14 17V4M9 9l5-5 5 5M4 17v5.5c0 .8.7 1.5 1.5 1.5h17c.8 0 1.5-.7 1.5-1.5V17" />
        </svg>
        <div>
          <b>{isTouch ? 'Choose result files or a folder' : 'Drop files or a folder anywhere on this page'}</b>
          <p>
            You can also {isTouch ? '' : 'paste a result, or '}run{' '}
            <code>profllm upload FILE… --to {window.location.origin}</code>. The limit per file is{' '}
            {FILE_MAX / 1024 / 1024} MiB.
          </p>
        </div>
        <div className={css.acts}>
          <Button look="line" onPress={pickFolder}>
            Choose a folder
          </Button>
          <Button look="fill" onPress={pickFiles}>
            Choose files
          </Button>
        </div>
      </div>
      <div className={css.known}>
        {policy}
        {effect}
      </div>
    </>
  )
}
