import { useEffect, useRef, useState } from 'react'

/** Whether the content is wider than its container; updated when either is resized. */
export function useOverflows(content: unknown) {
  const frame = useRef<HTMLDivElement>(null)
  const [overflows, setOverflows] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const look = () => setOverflows(element.scrollWidth > element.clientWidth + 1)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    look()
    return () => observer.disconnect()
  }, [content])
  return { frame, overflows }
}
