/** Questions about what people do: asking, saving, and the people behind the figures. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Answer, CohortDefinition, People, PeopleRequest, Question } from './analysisTypes'
import { everythingOf } from './app'
import { call, callForFile, http, UNASKED } from './client'
import type { ListParams, Page } from './orgs'
import type { components } from './schema'

/*
 * The generated types mark nullable fields as optional too, and leave stored questions and
 * definitions untyped. These types are stricter; analysisTypes.test.ts checks that they match.
 */
type Schemas = components['schemas']

/** Aborting ends the question here and on the server. */
export function runQuery(appId: string, question: Question) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'analysis', question],
    queryFn: ({ signal }): Promise<Answer> => {
      const params = { path: { id: appId } }
      const body = question as Schemas['Question']
      return call(http.POST('/apps/{id}/analyses/run', { params, body, signal })) as Promise<Answer>
    },
    placeholderData: keepPreviousData,
  })
}

export function peopleQuery(appId: string, request: PeopleRequest) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'analysis people', request],
    queryFn: ({ signal }): Promise<People> => {
      const params = { path: { id: appId } }
      const body = request as Schemas['PeopleBody']
      return call(http.POST('/apps/{id}/analyses/run/people', { params, body, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export function exportAnalysis(appId: string, question: Question): Promise<Blob> {
  const params = { path: { id: appId } }
  const body = question as Schemas['Question']
  return callForFile(http.POST('/apps/{id}/analyses/run/export', { params, body, parseAs: 'blob' }))
}

interface Keeping {
  name: string
  description?: string | null
  shared: boolean
  /** The version that was read, so nobody's later change is overwritten. */
  version?: number
}

/** What analyses and cohorts have in common. */
export type Kept = Pick<
  Schemas['Analysis'],
  'id' | 'name' | 'description' | 'shared' | 'mine' | 'may_change' | 'created_by' | 'updated_at'
>
/** The user's own, or those shared with the app; all if omitted. */
export type Whose = 'mine' | 'shared'
type KeptParams = ListParams & { whose?: Whose }

/** The server lists both together, so all must be read to tell them apart. */
function keptQuery<One extends Kept>(
  key: readonly unknown[],
  { whose, ...query }: KeptParams,
  ask: (query: ListParams) => Promise<Page<One>>,
) {
  const { page, page_size, ...rest } = query
  return queryOptions({
    queryKey: [...key, 'list', whose ? rest : query],
    queryFn: () => (whose ? everyOne((at) => ask({ ...rest, ...at })) : ask(query)),
    select: (answer): Page<One> => {
      if (!whose) return answer
      const chosen = answer.items.filter((one) => (whose === 'mine' ? one.mine : one.shared))
      const first = (page - 1) * page_size
      return { items: chosen.slice(first, first + page_size), total: chosen.length }
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

const MOST_AT_ONCE = 100

async function everyOne<One extends Kept>(
  ask: (at: { page: number; page_size: number }) => Promise<Page<One>>,
): Promise<Page<One>> {
  // Keyed by ID: an item added meanwhile shifts others to the next page.
  const all = new Map<string, One>()
  for (let page = 1; ; page++) {
    const { items, total } = await ask({ page, page_size: MOST_AT_ONCE })
    items.forEach((one) => all.set(one.id, one))
    if (items.length === 0 || page * MOST_AT_ONCE >= total) break
  }
  return { items: [...all.values()], total: all.size }
}

export interface Analysis extends Omit<Schemas['Analysis'], 'question'> {
  /** As stored, perhaps by another version of the console. */
  question: object
}
export type AnalysisDraft = Keeping & { question: object }

export const analysesOf = (appId: string) => ({
  queryKey: [...everythingOf(appId).queryKey, 'analyses'],
})

export const analysesQuery = (appId: string, params: KeptParams) =>
  keptQuery(analysesOf(appId).queryKey, params, (query) => {
    const place = { path: { id: appId }, query }
    return call(http.GET('/apps/{id}/analyses', { params: place })) as Promise<Page<Analysis>>
  })

const oneAnalysis = '/apps/{id}/analyses/{analysis_id}'
const placeOf = (id: string, analysis_id: string) => ({ params: { path: { id, analysis_id } } })

export function analysisQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...analysesOf(appId).queryKey, 'one', id],
    queryFn: (): Promise<Analysis> =>
      call(http.GET(oneAnalysis, placeOf(appId, id))) as Promise<Analysis>,
  })
}

export function createAnalysis(appId: string, body: AnalysisDraft): Promise<Analysis> {
  const params = { path: { id: appId } }
  return call(http.POST('/apps/{id}/analyses', { params, body })) as Promise<Analysis>
}

export function updateAnalysis(appId: string, id: string, body: AnalysisDraft): Promise<Analysis> {
  return call(http.PUT(oneAnalysis, { ...placeOf(appId, id), body })) as Promise<Analysis>
}

export function deleteAnalysis(appId: string, id: string): Promise<unknown> {
  return call(http.DELETE(oneAnalysis, placeOf(appId, id)))
}

export interface Cohort extends Omit<Schemas['Cohort'], 'definition'> {
  definition: CohortDefinition
}
export type CohortDraft = Keeping & { definition: CohortDefinition }

export const cohortsOf = (appId: string) => ({
  queryKey: [...everythingOf(appId).queryKey, 'cohorts'],
})

export const cohortsQuery = (appId: string, params: KeptParams) =>
  keptQuery(cohortsOf(appId).queryKey, params, (query) => {
    const place = { path: { id: appId }, query }
    return call(http.GET('/apps/{id}/cohorts', { params: place })) as Promise<Page<Cohort>>
  })

/** For pickers: as many as fit in one response. */
export function cohortChoicesQuery(appId: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'choices'],
    queryFn: async (): Promise<Cohort[]> => {
      const all = await everyOne((at) => {
        const params = { path: { id: appId }, query: { ...at, sort: 'name', order: 'asc' } }
        return call(http.GET('/apps/{id}/cohorts', { params }), UNASKED) as Promise<Page<Cohort>>
      })
      return all.items
    },
  })
}

const oneCohort = '/apps/{id}/cohorts/{cohort_id}'
const cohortPlace = (id: string, cohort_id: string) => ({ params: { path: { id, cohort_id } } })

export function cohortQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'one', id],
    queryFn: (): Promise<Cohort> =>
      call(http.GET(oneCohort, cohortPlace(appId, id))) as Promise<Cohort>,
  })
}

export type CohortSize = Schemas['CohortSize']

export function cohortSizeQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'size', id],
    queryFn: (): Promise<CohortSize> =>
      call(http.GET(`${oneCohort}/size`, cohortPlace(appId, id)), UNASKED),
  })
}

/** The cohort's size on a day in the app's time zone. */
export type SizeOfDay = components['schemas']['DaySize']

/** Oldest first, at most 90 days. Days without a measurement are left out. */
export function cohortSizesQuery(appId: string, id: string) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'sizes', id],
    queryFn: async (): Promise<SizeOfDay[]> => {
      const answer = await call(http.GET(`${oneCohort}/sizes`, cohortPlace(appId, id)), UNASKED)
      return answer.sizes
    },
  })
}

export function cohortPeopleQuery(appId: string, id: string, page: number, page_size: number) {
  return queryOptions({
    queryKey: [...cohortsOf(appId).queryKey, 'people', id, page, page_size],
    queryFn: (): Promise<People> => {
      const params = { path: { id: appId, cohort_id: id }, query: { page, page_size } }
      return call(http.GET(`${oneCohort}/people`, { params }))
    },
    placeholderData: keepPreviousData,
  })
}

/** The contract allows any object as a definition, which is generated as an empty type. */
const bodyOf = (draft: CohortDraft): Schemas['CohortBody'] => ({
  ...draft,
  definition: draft.definition as object as Record<string, never>,
})

export function createCohort(appId: string, draft: CohortDraft): Promise<Cohort> {
  const params = { path: { id: appId } }
  const body = bodyOf(draft)
  return call(http.POST('/apps/{id}/cohorts', { params, body })) as Promise<Cohort>
}

export function updateCohort(appId: string, id: string, draft: CohortDraft): Promise<Cohort> {
  const body = bodyOf(draft)
  return call(http.PUT(oneCohort, { ...cohortPlace(appId, id), body })) as Promise<Cohort>
}

export function deleteCohort(appId: string, id: string): Promise<unknown> {
  return call(http.DELETE(oneCohort, cohortPlace(appId, id)))
}
