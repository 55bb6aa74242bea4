import { useState } from 'react'

/** A question during submission: the form waits for the answer. */
export function useQuestion() {
  const [asked, setAsked] = useState<{ about: number; settle: (yes: boolean) => void } | null>(null)
  return {
    about: asked?.about ?? null,
    ask: (about: number) => new Promise<boolean>((settle) => setAsked({ about, settle })),
    answer: (yes: boolean) => {
      asked?.settle(yes)
      setAsked(null)
    },
  }
}
