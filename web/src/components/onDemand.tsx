/**
 * Code that is fetched when it is first needed. It can be missing: the line is cut, or a newer
 * console has taken the place of the one that runs here.
 */
import { useEffect, useState, type ComponentType } from 'react'
import { create } from 'zustand'
import { lookForServer, useConnection } from '../api/connection'

/** Thrown in place of a page whose code did not come. */
export class MissingCode extends Error {
  constructor(cause: unknown) {
    super('a part of the console could not be loaded', { cause })
    this.name = 'MissingCode'
  }
}

/** A part did not come although the server is there: only a reload can help. */
export const useOutdated = create<{ outdated: boolean }>()(() => ({ outdated: false }))

type Load<Module> = () => Promise<Module>

/** For whole pages: the error screen around them deals with what is missing. */
export async function pageCode<Module>(load: Load<Module>): Promise<Module> {
  const module = await load().catch((cause: unknown) => {
    throw new MissingCode(cause)
  })
  // Somebody has prevented the event that Vite raises first, and deals with it.
  return module ?? new Promise<never>(() => {})
}

/**
 * For parts of a page, which must not cost what is typed beside them: nothing is reloaded, it is
 * said and left to the person. It is fetched once `needed`, and stays; asked for anew after a failure
 * when it is needed anew, or the connection is back.
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
