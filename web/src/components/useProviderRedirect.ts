import { useEffect, useState } from 'react'
import { ApiError } from '../api/errors'
import { browser } from '../lib/navigation'

/**
 * Leaves for another site in this window. Busy until the page is gone, so nothing can be clicked
 * twice; a page restored from the back/forward cache is usable again.
 */
export function useLeavePage() {
  const [leaving, setLeaving] = useState(false)
  useEffect(() => {
    const comeBack = (event: PageTransitionEvent) => event.persisted && setLeaving(false)
    window.addEventListener('pageshow', comeBack)
    return () => window.removeEventListener('pageshow', comeBack)
  }, [])
  return {
    leaving,
    leave: (href: string) => {
      setLeaving(true)
      browser.assign(href)
    },
  }
}

interface Asked<Where> {
  where: Where
  failure: ApiError | null
  pending: boolean
}

/**
 * Asks the server where to go, then goes there. Written by hand, because the sign-in page would pay
 * for a library.
 */
export function useProviderRedirect<Where>(ask: (where: Where) => Promise<string>) {
  const { leaving, leave } = useLeavePage()
  const [asked, setAsked] = useState<Asked<Where> | null>(null)
  const busy = leaving || asked?.pending === true

  async function go(where: Where) {
    if (busy) return
    setAsked({ where, failure: null, pending: true })
    try {
      leave(await ask(where))
      setAsked({ where, failure: null, pending: false })
    } catch (failure) {
      setAsked({ where, failure: null, pending: false })
      if (!(failure instanceof ApiError)) throw failure
      setAsked({ where, failure, pending: false })
    }
  }

  return {
    busy,
    /** The destination last requested. */
    where: asked?.where,
    failure: asked?.failure ?? null,
    go: (where: Where) => void go(where),
  }
}
