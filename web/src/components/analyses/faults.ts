/** Maps each error the server finds in a question to its place in the builder. */
import type { EventChoice, Filters } from '../../api/analysisTypes'
import {
  completeFilters,
  isCohort,
  isComplete,
  isGroup,
  isNamed,
  itemsOf,
  NO_VALUE,
} from './filters'
import { hasProperty, type Draft } from './question'

/** Messages by path in the draft, such as `steps[1].filters[0].values`. */
export type Faults = ReadonlyMap<string, string>

export const NO_FAULTS: Faults = new Map()

interface Sorted {
  placed: Faults
  /** Errors about something the builder has no field for. */
  rest: string[]
}

/** `fields` refers to the question as sent, without its incomplete parts. */
export function sortFaults(draft: Draft, fields: Record<string, string>): Sorted {
  const places = placesOf(draft)
  const placed = new Map<string, string>()
  const rest: string[] = []
  for (const [field, text] of Object.entries(fields)) {
    const place = nearest(places, plain(field))
    if (place === undefined) rest.push(text)
    else if (!placed.has(place)) placed.set(place, text)
  }
  return { placed, rest }
}

/** Whether all or any tests must hold isn't part of a path. */
const plain = (field: string) => field.replaceAll(/\.(all|any)(?=\[)/g, '')

/** The field itself, or the smallest enclosing part that has one. */
function nearest(places: Map<string, string>, field: string): string | undefined {
  for (let at = field; at !== ''; at = at.slice(0, Math.max(0, at.search(/(\.\w+|\[\d+\])$/)))) {
    const place = places.get(at)
    if (place !== undefined) return place
  }
  return undefined
}

/** Maps fields of the sent question to places in the draft. */
function placesOf(draft: Draft): Map<string, string> {
  const places = new Map<string, string>()
  const here = (...fields: string[]) => fields.forEach((field) => places.set(field, field))
  const event = (at: string, choice: EventChoice | undefined) => {
    places.set(at, `${at}.events`)
    here(`${at}.events`)
    filters(at, choice?.filters)
  }
  const filters = (at: string, group: Filters | undefined) => {
    if (group || at === '') here(under(at, 'filters'))
    if (group) putTests(places, group, under(at, 'filters'), under(at, 'filters'))
  }

  filters('', draft.filters)
  if ('breakdown' in draft) {
    let number = 0
    draft.breakdown?.forEach((property, index) => {
      if (isNamed(property)) places.set(`breakdown[${number++}]`, `breakdown[${index}]`)
    })
  }
  switch (draft.kind) {
    case 'trend':
      draft.series.forEach((one, index) => {
        event(`series[${index}]`, one)
        here(`series[${index}].measure`)
        if (hasProperty(one.measure)) here(`series[${index}].measure.property`)
      })
      if (draft.formula) here('formula')
      break
    case 'funnel':
      draft.steps.forEach((step, index) => event(`steps[${index}]`, step))
      if (draft.exclude) event('exclude', draft.exclude)
      here('window_minutes')
      break
    case 'retention':
      event('first', draft.first)
      event('returning', draft.returning)
      here('unit', 'units')
      break
    case 'paths':
      event(draft.to ? 'to' : 'from', draft.to ?? draft.from)
      event('events', draft.events)
      here('steps', 'branches')
      if (draft.window_minutes !== undefined) here('window_minutes')
      break
    case 'distribution':
      event('event', draft.event)
      here('edges')
      if (typeof draft.of === 'object') here('of.property')
      break
    case 'lifecycle':
      event('event', draft.event)
      break
  }
  return places
}

const under = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)

/** `sent` and `at`: the group's path in the sent question and in the draft. */
function putTests(places: Map<string, string>, group: Filters, sent: string, at: string): void {
  let number = 0
  itemsOf(group).forEach((item, index) => {
    const place = `${at}[${index}]`
    if (isGroup(item) ? !completeFilters(item) : !isComplete(item)) return
    const field = `${sent}[${number++}]`
    if (isGroup(item)) return putTests(places, item, field, place)
    const hasValue = !isCohort(item.property) && !NO_VALUE.includes(item.operator)
    places
      .set(field, `${place}.property`)
      .set(`${field}.property`, `${place}.property`)
      .set(`${field}.operator`, `${place}.operator`)
      .set(`${field}.values`, `${place}.${hasValue ? 'values' : 'operator'}`)
  })
}
