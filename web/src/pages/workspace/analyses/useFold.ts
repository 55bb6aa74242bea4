import { useState } from 'react'

interface Fold {
  isOpen: boolean
  /** Null while the question must stay in view. */
  toggle: (() => void) | null
  close: () => void
}

/**
 * Where the question is above its answer, an opened one is folded so that the answer comes first. A
 * question that is incomplete or faulty is open by itself, and stays open when it no longer is: it
 * must not disappear from under the person who is completing it.
 */
export function useFold(needed: boolean): Fold {
  const [isOpen, setOpen] = useState(needed)
  const [wasNeeded, setNeeded] = useState(needed)
  if (needed !== wasNeeded) {
    setNeeded(needed)
    if (needed) setOpen(true)
  }
  return {
    isOpen: isOpen || needed,
    toggle: needed ? null : () => setOpen(!isOpen),
    close: () => setOpen(false),
  }
}
