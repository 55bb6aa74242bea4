import { useQueryClient } from '@tanstack/react-query'
import { cohortsOf } from '../../../api/analyses'
import { everythingOf } from '../../../api/app'
import { useApp } from '../../../session/app'

/** Refetches cohorts' lists, sizes, and people, and answers that may depend on them. */
export function useCohortsChanged(): (gone?: string) => void {
  const client = useQueryClient()
  const { app } = useApp()
  return (gone) => {
    void client.invalidateQueries({
      ...cohortsOf(app.id),
      // Don't refetch a deleted one.
      predicate: ({ queryKey }) => gone === undefined || !queryKey.includes(gone),
    })
    void client.invalidateQueries({ queryKey: [...everythingOf(app.id).queryKey, 'analysis'] })
  }
}
