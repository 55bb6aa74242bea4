/** The figures of an organization's apps for the dashboard, one query per part. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { App } from './app'
import { appsOf } from './apps'
import { call, callForFile, http } from './client'
import { quietOnceShown } from './queryClient'
import type { components } from './schema'

const REFRESH_MS = 60_000

type Schemas = components['schemas']

/** Everything but the apps; without them, all active apps whose figures the user may see. */
export type OverallQuestion = Required<
  Pick<Schemas['OverallBody'], 'start' | 'end' | 'granularity' | 'compare'>
> & { app_ids?: string[]; timezone: string }

export const FIGURES = [
  'events',
  'page_views',
  'active_users',
  'active_devices',
  'new_devices',
  'sessions',
] as const
export type FigureName = (typeof FIGURES)[number]

export type OverallPoint = Schemas['SeriesPoint']
export type OverallApp = Schemas['OfApp']

export const DIMENSIONS = ['os', 'browser', 'device_type', 'language'] as const
export type Dimension = (typeof DIMENSIONS)[number]

export type RejectionReason = Schemas['Rejected']
export type OverallIngest = Schemas['Ingest']

export type OverallPages = Schemas['Pages']

export type OverallPart = Schemas['Part']
export type OverallTable = Schemas['Table']

type Parts = { [Part in OverallPart]: NonNullable<Schemas['Overall'][Part]> }
/** What every answer contains, plus the requested parts. */
export type Overall<Part extends OverallPart = never> = Omit<Schemas['Overall'], OverallPart> &
  Pick<Parts, Part>

/** Every part of every question about an organization. */
export const overallOf = (orgId: string) => ({ queryKey: ['org', orgId, 'overall'] })

export function overallQuery<Part extends OverallPart>(
  orgId: string,
  part: Part,
  question: OverallQuestion,
  language: string,
) {
  const asked = questionFor(part, question)
  // Only reason names depend on the language.
  const words = part === 'ingest' ? language : null
  return queryOptions({
    queryKey: [...overallOf(orgId).queryKey, part, asked, words],
    queryFn: async (context): Promise<Overall<Part>> => {
      const params = { path: { id: orgId } }
      const body = { ...asked, parts: [part] as OverallPart[] }
      const answer = await call(
        http.POST('/orgs/{id}/data-overall', { params, body, signal: context.signal }),
        quietOnceShown(context),
      )
      return answer as Overall<Part>
    },
    staleTime: REFRESH_MS / 2,
    placeholderData: keepPreviousData,
    // While the tab is visible, and once more when it becomes visible.
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: true,
  })
}

/**
 * Drops choices that don't affect a part, so they don't trigger a new request. Granularity doesn't
 * change the totals, but asking with the same one makes them come from the same count as the
 * series.
 */
export function questionFor(part: OverallPart, question: OverallQuestion): OverallQuestion {
  const compared = part === 'totals' || part === 'series' || part === 'apps'
  return {
    ...question,
    granularity: compared ? question.granularity : 'month',
    compare: compared ? question.compare : 'none',
  }
}

export function exportOverall(
  orgId: string,
  table: OverallTable,
  question: OverallQuestion,
): Promise<Blob> {
  const params = { path: { id: orgId } }
  const body = { ...question, table }
  return callForFile(http.POST('/orgs/{id}/data-overall/export', { params, body, parseAs: 'blob' }))
}

const LONGEST_PAGE = 100

/** Every active app the user may see, for choosing and opening them. */
export function allAppsQuery(orgId: string) {
  return queryOptions({
    queryKey: [...appsOf(orgId).queryKey, 'all'],
    queryFn: async (): Promise<App[]> => {
      const apps: App[] = []
      for (let page = 1; ; page += 1) {
        const query = { status: 'active', page, page_size: LONGEST_PAGE, sort: 'name' } as const
        const params = { path: { id: orgId }, query }
        const { items, total } = await call(http.GET('/orgs/{id}/apps', { params }))
        apps.push(...items)
        if (items.length === 0 || apps.length >= total) return apps
      }
    },
  })
}
