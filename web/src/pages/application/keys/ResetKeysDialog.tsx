/** New values for one or both API keys, and how long the old ones keep working. */
import { Checkbox } from 'antd'
import { Controller, useForm, useWatch } from 'react-hook-form'
import { resetApiKeys, type ApiKey, type ApiKeyKind } from '../../../api/keys'
import { FormDialog } from '../../../components/FormDialog'
import { ChoiceField } from '../../../components/form/ChoiceField'
import { Field } from '../../../components/form/Field'
import { TextInput } from '../../../components/form/TextInput'
import { useSubmit } from '../../../components/form/useSubmit'
import { useNow } from '../../../components/useNow'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { plannedTime } from '../../../lib/time'
import { useUser } from '../../../session/useUser'
import { GRACE_HOURS, GRACES, hoursOf, USUAL_GRACE } from './grace'
import dialog from '../../../components/dialog.module.css'
import styles from './keys.module.css'

const KINDS: ApiKeyKind[] = ['collect', 'query']
const HOUR_MS = 3_600_000

interface ResetKeysDialogProps {
  keys: ApiKey[]
  onDone: (made: ApiKey[]) => void
  onCancel: () => void
}

export function ResetKeysDialog({ keys, onDone, onCancel }: ResetKeysDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const form = useForm({
    mode: 'onBlur',
    defaultValues: { kinds: [] as ApiKeyKind[], grace: USUAL_GRACE, hours: '' },
  })
  const { control } = form
  const { kinds, grace, hours } = useWatch({ control })
  const submitting = useSubmit(form, {
    send: (chosen) => {
      const grace_hours = hoursOf(chosen.grace, chosen.hours) ?? GRACE_HOURS.max
      return watched(resetApiKeys(app.id, { kinds: chosen.kinds, grace_hours }))
    },
    // The server returns both; only new ones need to be saved.
    done: (answer) => onDone(answer.filter(({ kind }) => form.getValues('kinds').includes(kind))),
  })
  const replacesOlder = keys.some(({ kind, previous }) => previous && kinds?.includes(kind))
  return (
    <FormDialog
      title={t('keys.resetTitle')}
      width={480}
      submitting={submitting}
      submit={t('keys.resetSubmit')}
      onCancel={onCancel}
    >
      <Controller
        control={control}
        name="kinds"
        rules={{ validate: (chosen) => chosen.length > 0 || t('keys.resetWhichRequired') }}
        render={({ field, fieldState }) => (
          <fieldset className={styles.kinds}>
            <legend>{t('keys.resetWhich')}</legend>
            <Checkbox.Group<ApiKeyKind>
              className={styles.kindList}
              value={field.value}
              onChange={field.onChange}
              options={KINDS.map((kind) => ({ value: kind, label: t(`keys.kind.${kind}`) }))}
            />
            <p className={styles.error} aria-live="polite">
              {fieldState.error?.message}
            </p>
          </fieldset>
        )}
      />
      <ChoiceField
        label={t('keys.grace')}
        value={grace ?? USUAL_GRACE}
        choices={GRACES.map((value) => ({ value, name: t(`keys.grace.${value}`) }))}
        onChoose={(value) => form.setValue('grace', value)}
        note={<GraceNote hours={hoursOf(grace ?? USUAL_GRACE, hours ?? '')} />}
      />
      {grace === 'other' && (
        <Field
          control={control}
          name="hours"
          label={t('keys.graceHours')}
          rules={{
            validate: (typed: unknown) =>
              hoursOf('other', String(typed)) !== null || t('setting.retentionRule', GRACE_HOURS),
          }}
        >
          {(input) => <TextInput {...input} inputMode="numeric" autoComplete="off" />}
        </Field>
      )}
      {replacesOlder && <p className={dialog.lead}>{t('keys.graceOlder')}</p>}
    </FormDialog>
  )
}

/** When the old value stops working. */
function GraceNote({ hours }: { hours: number | null }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const now = useNow()
  if (hours === null) return null
  if (hours === 0) return t('keys.graceNone')
  return t('keys.graceUntil', { at: plannedTime(now + hours * HOUR_MS, language, zone) })
}
