import { Input } from 'antd'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { updateApp, type App } from '../../api/app'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { readDays, RETENTION_DAYS } from '../../components/form/retention'
import { ShorterRetention } from '../../components/form/RetentionDays'
import { filled } from '../../components/form/rules'
import { SaveRow } from '../../components/form/SaveRow'
import { TextInput } from '../../components/form/TextInput'
import { TimezoneSelect } from '../../components/form/TimezoneSelect'
import { useUnsaved } from '../../components/form/unsaved'
import { useSubmit } from '../../components/form/useSubmit'
import { useQuestion } from '../../components/useQuestion'
import { useT } from '../../i18n/useT'
import { useAppChanged, useWatched } from '../../session/app'
import { RetentionFields, type AppValues } from './RetentionFields'
import styles from './detail.module.css'

const DESCRIPTION_MAX = 500

const valuesOf = ({ name, description, timezone, retention_days }: App): AppValues => ({
  name,
  description,
  timezone,
  keeps: retention_days ? 'own' : 'team',
  retention_days: retention_days ? String(retention_days) : '',
})

export function AppForm({ app }: { app: App }) {
  const t = useT()
  const changed = useAppChanged()
  const watched = useWatched()
  const [saved, setSaved] = useState(false)
  const form = useForm({ mode: 'onBlur', defaultValues: valuesOf(app) })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const shortening = useQuestion()
  const before = daysOf(app, app.retention_days)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async ({ name, description, timezone, keeps, retention_days }) => {
      const days = keeps === 'own' ? readDays(retention_days) : null
      const after = daysOf(app, days)
      // Older events would be deleted, and no setting brings them back.
      if (after < before && !(await shortening.ask(after))) return null
      const words = { name: name.trim(), description: description.trim(), timezone }
      return watched(updateApp(app.id, { ...words, retention_days: days }))
    },
    done: (answer) => {
      if (!answer) return
      changed(answer)
      form.reset(valuesOf(answer))
      setSaved(true)
    },
  })
  return (
    <>
      <form noValidate className={styles.form} onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <Field
          control={control}
          name="name"
          label={t('appDetail.name')}
          rules={filled(t('appDetail.nameRequired'))}
        >
          {(input) => <TextInput {...input} autoComplete="off" />}
        </Field>
        <Field control={control} name="description" label={t('appDetail.description')}>
          {/* Auto-sizing would need style attributes, which the content security policy blocks. */}
          {(input) => <Input.TextArea {...input} maxLength={DESCRIPTION_MAX} rows={3} />}
        </Field>
        <Field
          control={control}
          name="timezone"
          label={t('appDetail.timezone')}
          hint={t('appDetail.timezoneHint')}
        >
          {({ name: _, ...input }) => <TimezoneSelect {...input} />}
        </Field>
        <RetentionFields form={form} teamDays={app.org_retention_days} />
        <SaveRow
          label={t('common.save')}
          sending={sending}
          retryAt={failure?.retryAt}
          disabled={!formState.isDirty}
          saved={saved && !formState.isDirty ? t('common.saved') : ''}
        />
      </form>
      {/* A form of its own, so it can't be nested in this one. */}
      <ShorterRetention
        of={{ kind: 'app', id: app.id, name: app.name }}
        before={before}
        question={shortening}
      />
    </>
  )
}

/** How long the app's events are actually kept. */
const daysOf = (app: App, own: number | null | undefined) =>
  own ?? app.org_retention_days ?? RETENTION_DAYS.max
