// Accepts files dropped on any page, and opens the Upload page.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'

import type { Upload } from '../api/types'
import { jobKey } from '../api/uploads'
import { usePreferences } from '../keys/store'
import { isAllowed, useRefusal, useUser } from '../ui/user'
import { paths } from '../url/paths'
import { filesOfDrop } from './files'
import type { Chosen } from './sender'
import { useUploads } from './store'
import css from './upload.module.css'

// Adds files to the upload on screen if that one waits for files, or else starts a new upload.
export function useSend() {
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return (chosen: Chosen[]) => {
    if (chosen.length === 0 || !isAllowed(useUser.getState().user, 'write')) return
    const { senders, add } = useUploads.getState()
    const [, id] = /^\/upload\/([^/]+)/.exec(window.location.pathname) ?? []
    const job = id === undefined ? undefined : client.getQueryData<Upload>(jobKey(id))
    const waits = job && (job.state === 'open' || (usePreferences.getState().unfinished[job.job_id] ?? 0) > 0)
    if (waits && !senders.some((sender) => sender.job === job.job_id && sender.isBusy)) add(chosen, job.job_id)
    else {
      add(chosen)
      navigate(paths.upload())
    }
  }
}

export function DropAnywhere() {
  const [isOver, setOver] = useState(false)
  const send = useSend()
  const refusal = useRefusal('write')
  const latest = useRef(send)
  latest.current = send
  useEffect(() => {
    let depth = 0
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const enter = (event: DragEvent) => {
      if (hasFiles(event)) setOver(++depth > 0)
    }
    const leave = (event: DragEvent) => {
      if (hasFiles(event)) setOver(--depth > 0)
    }
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      depth = 0
      setOver(false)
      void filesOfDrop(event.dataTransfer).then((chosen) => latest.current(chosen))
    }
    const handlers = { dragenter: enter, dragleave: leave, dragover: over, drop } as const
    for (const [name, handler] of Object.entries(handlers)) window.addEventListener(name, handler as EventListener)
    return () => {
      for (const [name, handler] of Object.entries(handlers)) window.removeEventListener(name, handler as EventListener)
    }
  }, [])
  return isOver ? (
    <div className={css.veil} aria-hidden="true">
      <div>
        <b>{refusal === undefined ? 'Drop to upload' : 'You cannot upload files'}</b>
        <p>{refusal ?? 'Results of ProfLLM or vLLM benchmarks, with their artifacts'}</p>
      </div>
    </div>
  ) : null
}
