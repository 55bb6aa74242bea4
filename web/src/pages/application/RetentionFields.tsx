/** How long the app keeps its events: the team's setting, or its own number of days. */
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { ChoiceField } from '../../components/form/ChoiceField'
import { RetentionDays } from '../../components/form/RetentionDays'
import { useT } from '../../i18n/useT'

type Keeps = 'team' | 'own'

export interface AppValues {
  name: string
  description: string
  timezone: string
  keeps: Keeps
  retention_days: string
}

interface RetentionFieldsProps {
  form: UseFormReturn<AppValues>
  /** Missing for apps in a list; unknown values aren't offered. */
  teamDays: number | null | undefined
}

export function RetentionFields({ form, teamDays }: RetentionFieldsProps) {
  const t = useT()
  const keeps = useWatch({ control: form.control, name: 'keeps' })
  if (teamDays == null) return null
  return (
    <>
      <ChoiceField
        label={t('setting.retention')}
        value={keeps}
        choices={[
          { value: 'team', name: t('retention.asTeam', { days: teamDays }) },
          { value: 'own', name: t('retention.asOwn') },
        ]}
        onChoose={(value) => form.setValue('keeps', value, { shouldDirty: true })}
        note={t('setting.retentionHint')}
      />
      {keeps === 'own' && (
        <RetentionDays control={form.control} name="retention_days" label={t('retention.days')} />
      )}
    </>
  )
}
