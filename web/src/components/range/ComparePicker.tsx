import { Select } from 'antd'
import { useT } from '../../i18n/useT'
import { besideField } from '../form/TimezoneSelect'
import { COMPARISONS, type Comparison } from './range'
import type { RangeParams } from './useRangeParams'

/** What to compare the figures with. */
export function ComparePicker({ params }: { params: Pick<RangeParams, 'compare' | 'setCompare'> }) {
  const t = useT()
  return (
    <Select<Comparison>
      aria-label={t('range.compare')}
      value={params.compare}
      popupMatchSelectWidth={false}
      getPopupContainer={besideField}
      options={COMPARISONS.map((value) => ({ value, label: t(`range.compare.${value}`) }))}
      onChange={params.setCompare}
    />
  )
}
