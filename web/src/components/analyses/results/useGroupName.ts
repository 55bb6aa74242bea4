import { useCallback } from 'react'
import type { GroupValues } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { namesCohort, useCohortNames } from '../useCohortNames'
import { groupName } from './words'

export type NameGroup = (group: GroupValues) => string

/** The display names of a question's groups. */
export function useGroupName({ breakdown }: { breakdown?: string[] }): NameGroup {
  const t = useT()
  const cohorts = useCohortNames(namesCohort(breakdown))
  return useCallback(
    (group) => groupName(group, { t, cohorts, breakdown }),
    [t, cohorts, breakdown],
  )
}
