// What is drawn behind the rest: a value as it was when the last frame was painted.
import { useEffect, useState } from 'react'

export function usePainted<T>(value: T): T {
  const [painted, setPainted] = useState(value)
  useEffect(() => {
    if (painted === value) return
    let behind: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => { behind = setTimeout(() => setPainted(() => value)) })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(behind)
    }
  }, [painted, value])
  return painted
}
