import type { Before } from '../../../api/analysisTypes'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { Change } from '../../charts/Change'
import { countOrNone } from '../../charts/format'
import { Figure } from '../results/Figure'
import { pickedGroup, type OnPick } from '../results/result'
import { changeOf, type TrendRow } from './rows'

interface RowTotalProps {
  row: TrendRow
  onPick: OnPick
  /** One bucket; the whole range if omitted. */
  at?: { index: number; time: number; label: string }
}

/** A row's number, which opens the people behind it. */
export function RowTotal({ row, onPick, at }: RowTotalProps) {
  const language = useLanguageStore((state) => state.currentLang)
  const value = at ? row.points[at.index] : row.total
  const shown = countOrNone(value, language)
  const { series } = row
  const group = row.group && pickedGroup(row.group)
  // A formula has no people behind it, and a hidden group can't be identified.
  if (!onPick || series === null || value == null || (row.group && !group)) return shown
  return (
    <Figure
      value={value}
      of={at ? `${row.name} · ${at.label}` : row.name}
      onOpen={() => onPick({ of: 'trend', series, time: at?.time ?? null, group })}
    >
      {shown}
    </Figure>
  )
}

export function RowChange({ before }: { before: Before }) {
  const t = useT()
  if (before.comparable === null) return t('chart.tooEarly')
  return <Change change={changeOf(before)} />
}
