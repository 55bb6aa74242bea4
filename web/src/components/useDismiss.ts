import { useEffect, useEffectEvent, type RefObject } from 'react'

/** Closes something when the user clicks or focuses elsewhere, or presses Escape. */
export function useDismiss(
  frame: RefObject<HTMLElement | null>,
  open: boolean,
  close: (byKey: boolean) => void,
): void {
  const dismiss = useEffectEvent(close)
  useEffect(() => {
    if (!open) return
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && !frame.current?.contains(target)) dismiss(false)
    }
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') dismiss(true)
    }
    document.addEventListener('pointerdown', elsewhere)
    document.addEventListener('focusin', elsewhere)
    document.addEventListener('keydown', key)
    return () => {
      document.removeEventListener('pointerdown', elsewhere)
      document.removeEventListener('focusin', elsewhere)
      document.removeEventListener('keydown', key)
    }
  }, [frame, open])
}
