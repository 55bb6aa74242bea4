import { Input } from 'antd'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { updateApp, type App } from '../../api/app'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { filled } from '../../components/form/rules'
import { SaveRow } from '../../components/form/SaveRow'
import { TextInput } from '../../components/form/TextInput'
import { TimezoneSelect } from '../../components/form/TimezoneSelect'
import { useUnsaved } from '../../components/form/unsaved'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { useAppChanged, useWatched } from '../../layouts/AppSettingsLayoutContext'
import styles from './detail.module.css'

const NAME_MAX = 80
const DESCRIPTION_MAX = 500

const valuesOf = ({ name, description, timezone }: App) => ({ name, description, timezone })

export function AppForm({ app }: { app: App }) {
  const t = useT()
  const changed = useAppChanged()
  const watched = useWatched()
  const [saved, setSaved] = useState(false)
  const form = useForm({ mode: 'onBlur', defaultValues: valuesOf(app) })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ name, description, timezone }) =>
      watched(updateApp(app.id, { name: name.trim(), description: description.trim(), timezone })),
    done: (answer) => {
      changed(answer)
      form.reset(valuesOf(answer))
      setSaved(true)
    },
  })
  return (
    <form noValidate className={styles.form} onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <Field
        control={control}
        name="name"
        label={t('appDetail.name')}
        rules={filled(t('appDetail.nameRequired'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" maxLength={NAME_MAX} />}
      </Field>
      <Field control={control} name="description" label={t('appDetail.description')}>
        {/* Growing with its text is done by style attributes, which the content policy refuses. */}
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
      <SaveRow
        label={t('common.save')}
        sending={sending}
        retryAt={failure?.retryAt}
        disabled={!formState.isDirty}
        saved={saved && !formState.isDirty ? t('common.saved') : ''}
      />
    </form>
  )
}
