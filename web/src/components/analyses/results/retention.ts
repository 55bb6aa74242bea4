import type { RetentionAnswer, RetentionCohort } from '../../../api/analysisTypes'
import type { PlotData } from './plotOption'
import { NEUTRAL } from '../../charts/colors'
import { percent } from '../../charts/format'
import { UNKNOWN } from '../../table/Counted'
import type { Translate } from '../../../i18n/store'
import type { NameGroup } from './useGroupName'
import { groupKey } from './words'

export type Unit = 'day' | 'week' | 'month'

export const unitName = (unit: Unit, number: number, t: Translate) =>
  t(`results.retention.${unit}`, { number })

/** Null: not over yet, or an empty cohort. */
export function shareOf({ size, returned }: RetentionCohort, unit: number): number | null {
  const people = returned[unit]
  return people == null || size === 0 ? null : people / size
}

/** The higher the share, the stronger the brand color (%); text stays readable on all of them. */
export const MOST_COLOR = 55

/** A cell's text: the count or the share. */
export function cellText(
  counted: 'share' | 'people',
  share: number | null,
  people: number | null,
  language: string,
): string {
  if (counted === 'people' && people !== null) return people.toLocaleString(language)
  return share === null ? UNKNOWN : percent(share, language)
}

/** Whether no cohort has reached this column yet. */
export const isAhead = (cohorts: RetentionCohort[], unit: number) =>
  cohorts.every(({ returned }) => returned[unit] == null)

/** The average over the units; with groups, one line each. */
export function curveOf(
  { average, groups }: Pick<RetentionAnswer, 'average' | 'groups'>,
  unit: Unit,
  language: string,
  t: Translate,
  nameOf: NameGroup,
): PlotData {
  const all = { key: 'all', name: t('results.retention.average'), values: average }
  const labels = average.map((_, number) => unitName(unit, number, t))
  const format = (value: number) => percent(value, language)
  return {
    shape: 'line',
    ticks: labels,
    labels,
    series:
      groups.length === 0
        ? [all]
        : groups.map((group, index) => ({
            key: groupKey(group, index),
            name: nameOf(group),
            values: group.average,
            ...(group.other && { color: NEUTRAL }),
          })),
    most: 1,
    format,
    axis: format,
  }
}
