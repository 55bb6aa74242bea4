/**
 * Code loaded on first use. Loading can fail: the connection is down, or the server has a newer
 * console than the one running.
 */
import { useEffect, useState, type ComponentType } from 'react'
import { create } from 'zustand'
import { lookForServer, useConnection } from '../api/connection'

/** Thrown instead of rendering a page whose code failed to load. */
export class MissingCode extends Error {
  constructor(cause: unknown) {
    super('a part of the console could not be loaded', { cause })
    this.name = 'MissingCode'
  }
}

/** Some code failed to load although the server is reachable: only a reload can help. */
export const useOutdated = create<{ outdated: boolean }>()(() => ({ outdated: false }))

type Load<Module> = () => Promise<Module>

/** For whole pages: the error screen around them handles missing code. */
export async function pageCode<Module>(load: Load<Module>): Promise<Module> {
  const module = await load().catch((cause: unknown) => {
    throw new MissingCode(cause)
  })
  // Someone prevented Vite's preloadError event and is handling it.
  return module ?? new Promise<never>(() => {})
}

/**
 * For parts of a page, where a reload would lose input: the failure is shown and left to the user.
 * Loads once `needed` and stays; after a failure it tries again when needed again or back online.
 */
export function onDemand<Props extends object>(
  load: Load<{ default: ComponentType<Props> }>,
  onMissing?: () => void,
) {
  return function OnDemand({ needed, ...props }: Props & { needed: boolean }) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(null)
    const lost = useConnection(({ state }) => state === 'lost')
    const wanted = needed && !lost && Part === null
    useEffect(() => {
      if (!wanted) return
      let gone = false
      load().then(
        (module) => {
          if (!gone && module) setPart(() => module.default)
        },
        async () => {
          onMissing?.()
          if (await lookForServer()) useOutdated.setState({ outdated: true })
        },
      )
      return () => {
        gone = true
      }
    }, [wanted])
    return Part && <Part {...(props as unknown as Props)} />
  }
}
