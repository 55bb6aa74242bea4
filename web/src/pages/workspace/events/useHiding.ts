import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { catalogOf, describeEvent, type EventItem } from '../../../api/catalog'
import { useApp, useWatched } from '../../../session/app'

export interface Hidden {
  event: string
  hidden: boolean
}

/** Hides an event from pickers, or shows it again. */
export function useHiding() {
  const { app } = useApp()
  const client = useQueryClient()
  const watched = useWatched()
  const [done, setDone] = useState<Hidden | null>(null)
  const hiding = useMutation({
    mutationFn: (change: Hidden) => watched(describeEvent(app.id, change)),
    onMutate: () => setDone(null),
    onSuccess: (_answer, change) => setDone(change),
    onSettled: () => client.invalidateQueries(catalogOf(app.id)),
  })
  return {
    hide: ({ event, hidden }: Pick<EventItem, 'event' | 'hidden'>) =>
      hiding.mutate({ event, hidden: !hidden }),
    undo: () => done && hiding.mutate({ event: done.event, hidden: !done.hidden }),
    busy: hiding.isPending,
    done,
    failure: hiding.error?.message,
  }
}
