import { useQueryClient } from '@tanstack/react-query'
import { cohortsOf } from '../../../api/analyses'
import { everythingOf } from '../../../api/app'
import { useApp } from '../../../session/app'

/** Lists, sizes and people of cohorts are asked for again, and answers that may hang on them. */
export function useCohortsChanged(): (gone?: string) => void {
  const client = useQueryClient()
  const { app } = useApp()
  return (gone) => {
    void client.invalidateQueries({
      ...cohortsOf(app.id),
      // Of one that is gone there is nothing to ask.
      predicate: ({ queryKey }) => gone === undefined || !queryKey.includes(gone),
    })
    void client.invalidateQueries({ queryKey: [...everythingOf(app.id).queryKey, 'analysis'] })
  }
}
