import { ChoiceGroup } from '../ChoiceGroup'
import { useT } from '../../i18n/useT'
import type { RangeParams } from './useRangeParams'

type GranularityPickerProps = Pick<RangeParams, 'granularity' | 'granularities' | 'setGranularity'>

/** The time span of each point on a line. */
export function GranularityPicker({ params }: { params: GranularityPickerProps }) {
  const t = useT()
  return (
    <ChoiceGroup
      label={t('range.granularity')}
      value={params.granularity}
      choices={params.granularities.map((value) => ({
        value,
        name: t(`range.by.${value}`),
        shown: t(`range.unit.${value}`),
      }))}
      onChoose={params.setGranularity}
    />
  )
}
