import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { updateOrg, type Org } from '../../../api/orgs'
import { Field } from '../../../components/form/Field'
import { FormError } from '../../../components/form/FormError'
import { readDays } from '../../../components/form/retention'
import { RetentionDays, ShorterRetention } from '../../../components/form/RetentionDays'
import { filled } from '../../../components/form/rules'
import { SaveRow } from '../../../components/form/SaveRow'
import { TextInput } from '../../../components/form/TextInput'
import { TimezoneSelect } from '../../../components/form/TimezoneSelect'
import { useUnsaved } from '../../../components/form/unsaved'
import { useSubmit } from '../../../components/form/useSubmit'
import { useQuestion } from '../../../components/useQuestion'
import { Panel } from '../../../components/Panel'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { useOrgChange } from './useOrgChange'
import styles from '../organization.module.css'

const valuesOf = ({ name, timezone, retention_days }: Org) => ({
  name,
  timezone,
  retention_days: String(retention_days),
})

export function GeneralSection() {
  const t = useT()
  const org = useOrg()
  const show = useOrgChange()
  const [saved, setSaved] = useState(false)
  const shortening = useQuestion()
  const form = useForm({ mode: 'onBlur', defaultValues: valuesOf(org) })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async ({ name, timezone, retention_days }) => {
      const days = readDays(retention_days) ?? org.retention_days
      // Older events would be deleted, and no setting brings them back.
      if (days < org.retention_days && !(await shortening.ask(days))) return null
      return updateOrg(org.id, { name: name.trim(), timezone, retention_days: days })
    },
    done: (changed) => {
      if (!changed) return
      show(changed)
      form.reset(valuesOf(changed))
      setSaved(true)
    },
  })
  return (
    <Panel id="general" title={t('setting.general')} lead={t('setting.generalLead')}>
      <form noValidate className={styles.form} onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <Field
          control={control}
          name="name"
          label={t('field.team')}
          rules={filled(t('field.team.required'))}
        >
          {(input) => <TextInput {...input} autoComplete="off" maxLength={100} />}
        </Field>
        <Field
          control={control}
          name="timezone"
          label={t('account.timezone')}
          hint={t('setting.timezoneHint')}
        >
          {({ name: _, ...input }) => <TimezoneSelect {...input} />}
        </Field>
        <RetentionDays
          control={control}
          name="retention_days"
          label={t('setting.retention')}
          hint={t('setting.retentionHint')}
        />
        <SaveRow
          label={t('common.save')}
          sending={sending}
          retryAt={failure?.retryAt}
          disabled={!formState.isDirty}
          saved={saved && !formState.isDirty ? t('common.saved') : ''}
        />
      </form>
      <ShorterRetention
        of={{ kind: 'org', id: org.id, name: org.name }}
        before={org.retention_days}
        question={shortening}
      />
    </Panel>
  )
}
