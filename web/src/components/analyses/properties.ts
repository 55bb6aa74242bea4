/** The properties that questions are about, and their display names. */
import type { MessageKey, Translate } from '../../i18n/store'
import { isolated } from '../../lib/bidi'
import { COHORT, isCohort, profileOf } from './filters'

/** What every event carries besides its own properties, by the server's names. */
const NAMES = {
  $os: 'analyses.os',
  $browser: 'analyses.browser',
  $browser_version: 'analyses.browserVersion',
  $device_type: 'analyses.deviceType',
  $language: 'analyses.language',
  $url_path: 'analyses.urlPath',
  $client_version: 'analyses.clientVersion',
  $sdk_version: 'analyses.sdkVersion',
  $source: 'analyses.source',
  $referring_site: 'analyses.referringSite',
  $user_id: 'analyses.userId',
  $device_id: 'analyses.deviceId',
} as const satisfies Record<string, MessageKey>

type BuiltIn = keyof typeof NAMES
export const BUILT_INS = Object.keys(NAMES) as BuiltIn[]

/** Properties that identify people, for users who may see personal data. */
export const PERSONAL_BUILT_INS: readonly string[] = ['$user_id', '$device_id']

export const isBuiltIn = (property: string): property is BuiltIn => Object.hasOwn(NAMES, property)

const PROFILE_NAMES = {
  '$user:': 'analyses.userProperty',
  '$device:': 'analyses.deviceProperty',
} as const

/** A cohort's name by ID; undefined if not known yet. */
export type CohortNames = (id: string) => string | undefined

/** An app's own properties keep their names. */
export function propertyName(property: string, t: Translate, cohorts?: CohortNames): string {
  if (isBuiltIn(property)) return t(NAMES[property])
  if (isCohort(property)) {
    return isolated(cohorts?.(property.slice(COHORT.length)) ?? t('analyses.unknownCohort'))
  }
  const profile = profileOf(property)
  if (!profile) return isolated(property)
  const name = property.slice(profile.length)
  const kind = t(PROFILE_NAMES[profile])
  return name === '' ? kind : `${kind} ${isolated(name)}`
}
