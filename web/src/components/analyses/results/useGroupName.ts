import { useCallback } from 'react'
import type { GroupValues } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { namesCohort, useCohortNames } from '../useCohortNames'
import { groupName } from './words'

export type NameGroup = (group: GroupValues) => string

/** What the groups of a question are called. */
export function useGroupName({ breakdown }: { breakdown?: string[] }): NameGroup {
  const t = useT()
  const cohorts = useCohortNames(namesCohort(breakdown))
  return useCallback(
    (group) => groupName(group, { t, cohorts, breakdown }),
    [t, cohorts, breakdown],
  )
}
