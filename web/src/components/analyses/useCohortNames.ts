import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { cohortChoicesQuery } from '../../api/analyses'
import { useApp } from '../../session/app'
import { isCohort } from './filters'
import type { CohortNames } from './properties'

/** The names of the cohorts a question uses. */
export function useCohortNames(needed: boolean): CohortNames {
  const { app } = useApp()
  const { data } = useQuery({ ...cohortChoicesQuery(app.id), enabled: needed })
  return useCallback((id) => data?.find((cohort) => cohort.id === id)?.name, [data])
}

/** Whether any part of the question refers to a cohort. */
export function namesCohort(part: unknown): boolean {
  if (typeof part === 'string') return isCohort(part)
  return typeof part === 'object' && part !== null && Object.values(part).some(namesCohort)
}
