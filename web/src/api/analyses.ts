/** Questions about what people do: asked, kept for later, and the people behind their figures. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  Answer,
  CohortDefinition,
  Kind,
  People,
  PeopleRequest,
  Question,
} from './analysisTypes'
import { everythingOf } from './app'
import { call, callForFile, http, UNASKED } from './client'
import type { ListParams, Page } from './orgs'

type Sent<Body> = Promise<{ data?: Body; error?: unknown; response: Response }>
interface Sending {
  params: { path: Record<string, string>; query?: object }
  body?: object
  signal?: AbortSignal
  parseAs?: 'blob'
}
type Send = <Data>(path: string, sending: Sending) => Sent<{ data: Data }>

/** The generated contract does not name these paths yet; `http` takes its place once it does. */
const ahead = http as unknown as Record<'GET' | 'POST' | 'PUT' | 'DELETE', Send>

/** A question whose answer nobody waits for any more is ended, here and on the server. */
export function runQuery(appId: string, question: Question) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'analysis', question],
    queryFn: ({ signal }): Promise<Answer> => {
      const params = { path: { id: appId } }
      return call(ahead.POST<Answer>('/apps/{id}/analyses/run', { params, body: question, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export function peopleQuery(appId: string, request: PeopleRequest) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'analysis people', request],
    queryFn: ({ signal }): Promise<People> => {
      const params = { path: { id: appId } }
      const sending = { params, body: request, signal }
      return call(ahead.POST<People>('/apps/{id}/analyses/run/people', sending))
    },
    placeholderData: keepPreviousData,
  })
}

export function exportAnalysis(appId: string, question: Question): Promise<Blob> {
  const sending = { params: { path: { id: appId } }, body: question, parseAs: 'blob' } as const
  const sent = ahead.POST('/apps/{id}/analyses/run/export', sending)
  return callForFile(sent as Sent<unknown> as Sent<Blob>)
}

interface Kept {
  id: string
  name: string
  description: string | null
  /** Otherwise it is its maker's alone. */
  shared: boolean
  created_by: { id: string; name: string } | null
  created_at: number
  updated_at: number
  version: number
  may_change: boolean
  mine: boolean
  /** Something in it is not shown to whoever may not see personal data. */
  redacted?: boolean
}
interface Keeping {
  name: string
  description: string | null
  shared: boolean
  /** The one that was read, so that nobody's later change is lost. */
  version?: number
}

export interface Analysis extends Kept {
  kind: Kind
  /** As it was stored, perhaps by another version of the console. */
  question: object
}
export type AnalysisDraft = Keeping & { question: object }

export const analysesOf = (appId: string) => ({
  queryKey: [...everythingOf(appId).queryKey, 'analyses'],
})

export function analysesQuery(appId: string, query: ListParams) {
  return queryOptions({
    queryKey: [...analysesOf(appId).queryKey, 'list', query],
    queryFn: (): Promise<Page<Analysis>> => {
      const params = { path: { id: appId }, query }
      return call(ahead.GET<Page<Analysis>>('/apps/{id}/analyses', { params }))
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

const oneAnalysis = '/apps/{id}/analyses/{analysis_id}'
const placeOf = (id: string, analysis_id: string) => ({ params: { path: { id, analysis_id } } })

export function analysisQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...analysesOf(appId).queryKey, 'one', id],
    queryFn: (): Promise<Analysis> => call(ahead.GET<Analysis>(oneAnalysis, placeOf(appId, id))),
  })
}

export function createAnalysis(appId: string, body: AnalysisDraft): Promise<Analysis> {
  const params = { path: { id: appId } }
  return call(ahead.POST<Analysis>('/apps/{id}/analyses', { params, body }))
}

export function updateAnalysis(appId: string, id: string, body: AnalysisDraft): Promise<Analysis> {
  return call(ahead.PUT<Analysis>(oneAnalysis, { ...placeOf(appId, id), body }))
}

export function deleteAnalysis(appId: string, id: string): Promise<unknown> {
  return call(ahead.DELETE<unknown>(oneAnalysis, placeOf(appId, id)))
}

export interface Cohort extends Kept {
  definition: CohortDefinition
}
export type CohortDraft = Keeping & { definition: CohortDefinition }

export const cohortsOf = (appId: string) => ({
  queryKey: [...everythingOf(appId).queryKey, 'cohorts'],
})

export function cohortsQuery(appId: string, query: ListParams) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'list', query],
    queryFn: (): Promise<Page<Cohort>> => {
      const params = { path: { id: appId }, query }
      return call(ahead.GET<Page<Cohort>>('/apps/{id}/cohorts', { params }))
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** For choosing one: as many as one answer holds. */
export function cohortChoicesQuery(appId: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'choices'],
    queryFn: async (): Promise<Cohort[]> => {
      const query = { page: 1, page_size: 100, sort: 'name', order: 'asc' }
      const params = { path: { id: appId }, query }
      return (await call(ahead.GET<Page<Cohort>>('/apps/{id}/cohorts', { params }), UNASKED)).items
    },
  })
}

const oneCohort = '/apps/{id}/cohorts/{cohort_id}'
const cohortPlace = (id: string, cohort_id: string) => ({ params: { path: { id, cohort_id } } })

export function cohortQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'one', id],
    queryFn: (): Promise<Cohort> => call(ahead.GET<Cohort>(oneCohort, cohortPlace(appId, id))),
  })
}

export interface CohortSize {
  people: number
  computed_at: number
}

export function cohortSizeQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'size', id],
    queryFn: (): Promise<CohortSize> =>
      call(ahead.GET<CohortSize>(`${oneCohort}/size`, cohortPlace(appId, id)), UNASKED),
  })
}

export function cohortPeopleQuery(appId: string, id: string, page: number, page_size: number) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'people', id, page, page_size],
    queryFn: (): Promise<People> => {
      const params = { path: { id: appId, cohort_id: id }, query: { page, page_size } }
      return call(ahead.GET<People>(`${oneCohort}/people`, { params }))
    },
    placeholderData: keepPreviousData,
  })
}

export function createCohort(appId: string, body: CohortDraft): Promise<Cohort> {
  const params = { path: { id: appId } }
  return call(ahead.POST<Cohort>('/apps/{id}/cohorts', { params, body }))
}

export function updateCohort(appId: string, id: string, body: CohortDraft): Promise<Cohort> {
  return call(ahead.PUT<Cohort>(oneCohort, { ...cohortPlace(appId, id), body }))
}

export function deleteCohort(appId: string, id: string): Promise<unknown> {
  return call(ahead.DELETE<unknown>(oneCohort, cohortPlace(appId, id)))
}
