/**
 * The explorer became the trend analysis: its bookmarked URLs redirect to the same question there.
 */
import { redirect, type LoaderFunctionArgs } from 'react-router'
import type { Counted, Operator, Test } from '../../api/analysisTypes'
import { paths } from '../../paths'
import { writeDraft } from './address'
import { OPERATORS } from './filters'
import type { TrendDraft } from './question'
import { readDraft } from './read'

const MEASURES: Record<string, Counted> = {
  users: 'people',
  devices: 'devices',
  per_user: 'per_person',
}
const MOST_FILTERS = 10

export function leaveExplorer({ params, request }: LoaderFunctionArgs): Response {
  const { orgId = '', appId = '' } = params
  const query = trendQuery(new URL(request.url).searchParams).toString()
  const place = paths.workspace.analysis({ org_id: orgId, id: appId }, 'trend')
  return redirect(query === '' ? place : `${place}?${query}`)
}

/** The same question, keeping the other URL parameters. */
export function trendQuery(before: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams(before)
  for (const name of ['event', 'measure', 'group', 'filter', 'granularity']) query.delete(name)
  const q = writeDraft(draftOf(before))
  if (q) query.set('q', q)
  return query
}

function draftOf(query: URLSearchParams): TrendDraft {
  const event = query.get('event')
  const group = query.get('group')
  const tests = query.getAll('filter').flatMap(readTest).slice(0, MOST_FILTERS)
  return readDraft(
    {
      kind: 'trend',
      series: [
        {
          events: event ? [event] : [],
          measure: { of: MEASURES[query.get('measure') ?? ''] ?? 'events' },
        },
      ],
      breakdown: group ? [group] : undefined,
      filters: tests.length > 0 ? { all: tests } : undefined,
      granularity: query.get('granularity'),
    },
    'trend',
  ) as TrendDraft
}

/** Property, operator, and values, separated by `~`. */
function readTest(text: string): Test[] {
  const [property, named, ...values] = text.split('~').map(unescaped)
  const operator = OPERATORS.find((one: Operator) => one === named)
  return property && operator ? [{ property, operator, values: values.filter(Boolean) }] : []
}

const unescaped = (text: string) => text.replace(/!([!-])/g, (_, one) => (one === '!' ? '!' : '~'))
