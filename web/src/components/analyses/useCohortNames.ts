import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { cohortChoicesQuery } from '../../api/analyses'
import { useApp } from '../../session/app'
import type { CohortNames } from './properties'

/** What the cohorts are called that a question names. */
export function useCohortNames(needed: boolean): CohortNames {
  const { app } = useApp()
  const { data } = useQuery({ ...cohortChoicesQuery(app.id), enabled: needed })
  return useCallback((id) => data?.find((cohort) => cohort.id === id)?.name, [data])
}
