import type { DistributionBin, DistributionQuestion } from '../../../api/analysisTypes'
import { plainCount } from '../../charts/format'

/** The numbers a bin holds. Times and days are whole, so their upper bound can be named. */
export function binName(
  { from, to }: Pick<DistributionBin, 'from' | 'to'>,
  of: DistributionQuestion['of'],
  language: string,
): string {
  const first = plainCount(from, language)
  if (to === null) return `≥ ${first}`
  if (typeof of === 'object') return `${first} ≤ x < ${plainCount(to, language)}`
  return to - from <= 1 ? first : `${first}–${plainCount(to - 1, language)}`
}
