/** Questions about what people do, and their answers, as the server takes and gives them. */
import type { components } from './schema'

export type Operator = components['schemas']['Operator']

export interface Test {
  property: string
  operator: Operator
  values: string[]
}
export type Filters = { all: (Test | Filters)[] } | { any: (Test | Filters)[] }

/** Empty: any event. */
export interface EventChoice {
  events: string[]
  filters?: Filters
}

interface Common {
  start: string
  end: string
  timezone?: string
  filters?: Filters
}

export type Granularity = 'minute' | 'hour' | 'day' | 'week' | 'month'

export type Counted = 'events' | 'people' | 'devices' | 'sessions' | 'per_person'
export type Aggregate =
  'sum' | 'average' | 'median' | 'p90' | 'p95' | 'p99' | 'min' | 'max' | 'distinct'
export type Measure = { of: Counted } | { of: Aggregate; property: string }
export type Series = EventChoice & { measure: Measure }

export interface TrendQuestion extends Common {
  kind: 'trend'
  series: Series[]
  formula?: string
  granularity?: Granularity
  breakdown?: string[]
  compare?: 'previous_period' | 'previous_year'
}
export interface FunnelQuestion extends Common {
  kind: 'funnel'
  steps: EventChoice[]
  window_minutes: number
  order?: 'loose' | 'strict'
  exclude?: EventChoice
  granularity?: Exclude<Granularity, 'minute'>
  breakdown?: string[]
}
export interface RetentionQuestion extends Common {
  kind: 'retention'
  first: EventChoice
  first_ever?: boolean
  returning: EventChoice
  unit: 'day' | 'week' | 'month'
  units: number
  mode?: 'exactly' | 'on_or_after'
  breakdown?: string[]
}
export interface PathsQuestion extends Common {
  kind: 'paths'
  from?: EventChoice
  to?: EventChoice
  events?: EventChoice
  steps: number
  /** If omitted: within a session. */
  window_minutes?: number
  branches?: number
}
export interface DistributionQuestion extends Common {
  kind: 'distribution'
  event: EventChoice
  of: 'times' | 'days' | { property: string }
  edges?: number[]
}
export interface LifecycleQuestion extends Common {
  kind: 'lifecycle'
  event?: EventChoice
  granularity?: 'day' | 'week' | 'month'
}
export type Question =
  | TrendQuestion
  | FunnelQuestion
  | RetentionQuestion
  | PathsQuestion
  | DistributionQuestion
  | LifecycleQuestion
export type Kind = Question['kind']

/** One value per breakdown property; null if unset or hidden. */
export interface GroupValues {
  values: (string | null)[]
  other: boolean
  redacted: boolean[]
}
interface Answered {
  computed_at: string
  rows_read: number
}
export interface Points {
  total: number | null
  points: (number | null)[]
}
/** The previous period, up to the same point; `comparable` is the current total up to there. */
export interface Before extends Points {
  comparable: number | null
}
export interface TrendAnswer extends Answered {
  kind: 'trend'
  times: number[]
  partial: number | null
  series: (Points & { groups: (GroupValues & Points)[]; before: Before | null })[]
  /** The previous release, which may answer during an upgrade, sends no groups. */
  formula: (Points & { groups?: (GroupValues & Points)[]; before: Before | null }) | null
  compared: { start: string; end: string } | null
}
export interface FunnelStep {
  people: number
  from_first: number | null
  from_previous: number | null
  median_seconds: number | null
  p90_seconds: number | null
}
export interface FunnelAnswer extends Answered {
  kind: 'funnel'
  steps: FunnelStep[]
  groups: (GroupValues & { steps: FunnelStep[] })[]
  over_time: { time: number; began: number; converted: number; complete: boolean }[]
  spread: { from_seconds: number; to_seconds: number; people: number }[]
}
export interface RetentionCohort {
  start: number
  size: number
  /** Null: not over yet. */
  returned: (number | null)[]
}
export interface RetentionAnswer extends Answered {
  kind: 'retention'
  cohorts: RetentionCohort[]
  average: (number | null)[]
  groups: (GroupValues & { cohorts: RetentionCohort[]; average: (number | null)[] })[]
}
export interface PathNode {
  kind: 'event' | 'other' | 'hidden'
  name: string | null
  page: string | null
}
interface PathLink {
  step: number
  source: PathNode
  target: PathNode
  people: number
}
export interface PathsAnswer extends Answered {
  kind: 'paths'
  side: 'from' | 'to'
  people: number
  links: PathLink[]
}
export interface DistributionBin {
  from: number
  to: number | null
  people: number
  events: number
}
export interface DistributionAnswer extends Answered {
  kind: 'distribution'
  bins: DistributionBin[]
}
export interface LifecyclePoint {
  time: number
  new: number
  returning: number
  resurrected: number
  /** Null while there is still time to come back. */
  dormant: number | null
}
export type LifecycleState = 'new' | 'returning' | 'resurrected' | 'dormant'
export interface LifecycleAnswer extends Answered {
  kind: 'lifecycle'
  partial: number | null
  points: LifecyclePoint[]
}
export type Answer =
  TrendAnswer | FunnelAnswer | RetentionAnswer | PathsAnswer | DistributionAnswer | LifecycleAnswer

/** Which figure to list the people behind. */
export type Pick =
  | { of: 'trend'; series: number; time: number | null; group: GroupValues | null }
  | {
      of: 'funnel'
      step: number
      dropped: boolean
      group: GroupValues | null
      /** When they began; if omitted, at any time. */
      time?: number
    }
  | { of: 'retention'; cohort: number; unit: number | null; group: GroupValues | null }
  | { of: 'paths'; step: number; source: PathNode | null; target: PathNode }
  | { of: 'distribution'; bin: number }
  | { of: 'lifecycle'; time: number; state: LifecycleState }

export interface Person {
  kind: 'user' | 'device'
  id: string
  ref: string
  first_seen?: string | null
  last_seen?: string | null
  properties: Record<string, unknown>
  redacted: boolean
}
export interface People {
  total: number
  items: Person[]
  page: number
  page_size: number
}
export interface PeopleRequest {
  question: Question
  pick: Pick
  page: number
  page_size: number
}

export type CohortRule =
  | { is: 'profile'; property: string; operator: Operator; values: string[] }
  | { is: 'did'; event: EventChoice; not: boolean; times: number; days: number }
export type CohortDefinition =
  /** Omitted in lists and for users who may not see the IDs; the server has counted them. */
  | { of: 'ids'; ids: string[]; count?: number }
  | { of: 'figure'; question: Question; pick: Pick }
  | { of: 'rule'; all: CohortRule[] }
  | { of: 'rule'; any: CohortRule[] }
