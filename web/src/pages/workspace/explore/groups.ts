import type { ExploreAnswer, ExploreBody, ExploreGroup } from '../../../api/explore'
import { NEUTRAL } from '../../../components/charts/colors'
import type { ChartSeries } from '../../../components/charts/series'
import type { Translate } from '../../../i18n/store'

/** What a group is called: its value, or a word for those without one. */
export function groupName({ value, other, redacted }: ExploreGroup, t: Translate): string {
  if (other) return t('explore.other')
  if (redacted) return t('properties.hidden')
  if (value == null) return t('explore.notSet')
  return value === '' ? '""' : value
}

/** A value could be any text, also that of the key of the rest; those not told look all the same. */
export function groupKey({ value, other, redacted }: ExploreGroup, index: number): string {
  if (other) return 'other'
  if (redacted) return `hidden ${index}`
  return value == null ? 'unset' : `=${value}`
}

export function seriesOf(
  { groups }: Pick<ExploreAnswer, 'groups'>,
  { measure, group_by }: Pick<ExploreBody, 'measure' | 'group_by'>,
  t: Translate,
): ChartSeries[] {
  return groups.map((group, index) => ({
    key: groupKey(group, index),
    name: group_by === null ? t(`explore.measure.${measure}`) : groupName(group, t),
    values: group.points,
    ...(group.other && { color: NEUTRAL }),
  }))
}
