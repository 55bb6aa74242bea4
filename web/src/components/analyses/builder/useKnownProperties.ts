import { useQueries } from '@tanstack/react-query'
import { eventPropertiesQuery, type EventProperty } from '../../../api/catalog'
import { useApp } from '../../../session/app'
import { isCohort, profileOf, type PropertyKind } from '../filters'
import { isBuiltIn } from '../properties'

const MOST_EVENTS = 5

/** The properties of these events' recent messages, deduplicated, and whether more are loading. */
export function useKnownProperties(events: string[]): {
  known: EventProperty[]
  isLoading: boolean
} {
  const { app, may } = useApp()
  const seesPeople = may('profile:pii')
  const found = useQueries({
    queries: may('event:view')
      ? events.slice(0, MOST_EVENTS).map((event) => eventPropertiesQuery(app.id, event))
      : [],
  })
  const items = new Map<string, EventProperty>()
  for (const { data } of found) {
    for (const item of data?.items ?? []) {
      if ((seesPeople || !item.personal) && !items.has(item.property)) {
        items.set(item.property, item)
      }
    }
  }
  return { known: [...items.values()], isLoading: found.some((one) => one.isLoading) }
}

/** The kind of its values: as described by someone, or as most of them are. */
export function kindOf(property: string, known: EventProperty[]): PropertyKind {
  if (isCohort(property)) return 'cohort'
  if (isBuiltIn(property)) return 'text'
  if (profileOf(property)) return 'unknown'
  return known.find((one) => one.property === property)?.value_type ?? 'unknown'
}
