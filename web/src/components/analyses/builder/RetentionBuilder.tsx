import { Checkbox } from 'antd'
import { useT } from '../../../i18n/useT'
import { MOST, without, type RetentionDraft } from '../question'
import { EventChoiceField } from './EventChoiceField'
import { NumberField } from './NumberField'
import { Choice, Part, useUnits, type BuilderProps } from './parts'

export function RetentionBuilder({ draft, onChange }: BuilderProps<RetentionDraft>) {
  const t = useT()
  const units = useUnits()
  const { first, first_ever = false, returning, unit, mode = 'exactly' } = draft
  return (
    <>
      <Part name={t('analyses.first')}>
        <EventChoiceField
          place="first"
          label={t('analyses.first')}
          value={first}
          onChange={(choice) => onChange({ ...draft, first: choice })}
        />
        <Checkbox
          checked={first_ever}
          onChange={({ target }) =>
            onChange(target.checked ? { ...draft, first_ever: true } : without(draft, 'first_ever'))
          }
        >
          {t('analyses.firstEver')}
        </Checkbox>
      </Part>
      <Part name={t('analyses.returning')}>
        <EventChoiceField
          place="returning"
          label={t('analyses.returning')}
          value={returning}
          onChange={(choice) => onChange({ ...draft, returning: choice })}
        />
      </Part>
      <Choice
        place="unit"
        name={t('analyses.retentionUnit')}
        value={unit}
        choices={units}
        onChoose={(chosen) => onChange({ ...draft, unit: chosen })}
      />
      <Part name={t('analyses.units')}>
        <NumberField
          place="units"
          label={t('analyses.units')}
          value={draft.units}
          least={1}
          most={MOST.units}
          onChange={(value) => onChange({ ...draft, units: value })}
        />
      </Part>
      <Choice
        name={t('analyses.mode')}
        value={mode}
        choices={[
          ['exactly', t('analyses.mode.exactly')],
          ['on_or_after', t('analyses.mode.on_or_after')],
        ]}
        onChoose={(chosen) =>
          onChange(chosen === 'exactly' ? without(draft, 'mode') : { ...draft, mode: chosen })
        }
      />
    </>
  )
}
