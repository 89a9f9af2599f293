import { useEffect, useRef, useState } from 'react'

// Returns the value as it was before `isHeld` became true, for at most `mostMs`.
export function useHeldWhile<T>(isHeld: boolean, value: T, mostMs: number): T {
  const held = useRef(value)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(() => setOver(true), mostMs)
    return () => {
      clearTimeout(timer)
      setOver(false)
    }
  }, [isHeld, mostMs])
  if (!isHeld || isOver) held.current = value
  return held.current
}
