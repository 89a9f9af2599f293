// Files may be dropped on any screen; what becomes of them is told on Upload.
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'

import { paths } from '../url/paths'
import css from './upload.module.css'
import { filesOfDrop } from './files'
import { useUploads } from './store'

export function useSend() {
  const [, navigate] = useLocation()
  const add = useUploads((uploads) => uploads.add)
  return async (files: File[]) => {
    if (files.length === 0) return
    navigate(paths.upload())
    const job = await add(files)
    if (job !== null && window.location.pathname === paths.upload()) navigate(paths.job(job), { replace: true })
  }
}

// What was not sent, once more: its job is shown as that of a drop is.
export function useSendAgain() {
  const [, navigate] = useLocation()
  const retry = useUploads((uploads) => uploads.retry)
  return async (key: number, file?: File) => {
    const job = await retry(key, file)
    if (job !== null && window.location.pathname.startsWith(paths.upload())) navigate(paths.job(job))
  }
}

export function DropAnywhere() {
  const [isOver, setOver] = useState(false)
  const send = useSend()
  const latest = useRef(send)
  latest.current = send
  useEffect(() => {
    let depth = 0
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent) => { if (hasFiles(event)) setOver(++depth > 0) }
    const leave = (event: DragEvent) => { if (hasFiles(event)) setOver(--depth > 0) }
    const over = (event: DragEvent) => { if (hasFiles(event)) event.preventDefault() }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      depth = 0
      setOver(false)
      void filesOfDrop(event.dataTransfer).then((files) => latest.current(files))
    }
    const handlers = { dragenter: enter, dragleave: leave, dragover: over, drop } as const
    for (const [name, handler] of Object.entries(handlers)) window.addEventListener(name, handler as EventListener)
    return () => { for (const [name, handler] of Object.entries(handlers)) window.removeEventListener(name, handler as EventListener) }
  }, [])
  return isOver ? <div className={css.veil} aria-hidden="true">Drop to upload</div> : null
}
