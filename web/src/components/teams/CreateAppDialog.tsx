import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Select } from 'antd'
import TextArea from 'antd/es/input/TextArea'
import { useForm } from 'react-hook-form'
import { appsOf, appZonesQuery, createApp } from '../../api/apps'
import type { Region } from '../../api/environment'
import { allOrgs } from '../../api/orgs'
import { FormDialog } from '../FormDialog'
import { Field } from '../form/Field'
import { FormError } from '../form/FormError'
import { filled } from '../form/rules'
import { SubmitButton } from '../form/SubmitButton'
import { TextInput } from '../form/TextInput'
import { besideField, TimezoneSelect } from '../form/TimezoneSelect'
import { useSubmit } from '../form/useSubmit'
import { Loaded } from '../Loaded'
import { useT } from '../../i18n/useT'
import { QUICK_START } from '../../paths'
import { openAppEntry } from '../../session/appEntry'
import { useOrg } from '../../session/org'
import { reloadUser } from '../../session/session'
import dialog from '../dialog.module.css'

const DESCRIPTION_MAX = 500

export function CreateAppDialog({ onCancel }: { onCancel: () => void }) {
  const t = useT()
  const zones = useQuery(appZonesQuery)
  return (
    <FormDialog title={t('apps.create')} width={480} onCancel={onCancel}>
      <Loaded query={zones} skeleton={6}>
        {(found) => <CreateForm zones={found} onCancel={onCancel} />}
      </Loaded>
    </FormDialog>
  )
}

function CreateForm({ zones, onCancel }: { zones: Region[]; onCancel: () => void }) {
  const t = useT()
  const org = useOrg()
  const client = useQueryClient()
  const form = useForm({
    mode: 'onBlur',
    defaultValues: {
      name: '',
      region: zones[0]?.region ?? '',
      timezone: org.timezone,
      description: '',
    },
  })
  const { control } = form
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ name, description, ...rest }) =>
      createApp(org.id, {
        ...rest,
        name: name.trim(),
        description: description.trim() || undefined,
      }),
    done: (app) => {
      void client.invalidateQueries(appsOf(org.id))
      void client.invalidateQueries(allOrgs)
      void reloadUser().catch(() => {})
      const { org_id, id: app_id, endpoint, is_local } = app
      openAppEntry({ org_id, app_id, endpoint, is_local }, { extra: QUICK_START })
    },
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <Field
        control={control}
        name="name"
        label={t('apps.name')}
        rules={filled(t('apps.nameRequired'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" />}
      </Field>
      <Field control={control} name="region" label={t('apps.region')} hint={t('apps.regionHint')}>
        {({ name: _, ...input }) => (
          <Select<string>
            {...input}
            options={zones.map(({ region, name }) => ({ value: region, label: name }))}
            getPopupContainer={besideField}
          />
        )}
      </Field>
      <Field
        control={control}
        name="timezone"
        label={t('account.timezone')}
        hint={t('apps.timezoneHint')}
      >
        {({ name: _, ...input }) => <TimezoneSelect {...input} />}
      </Field>
      <Field control={control} name="description" label={t('apps.description')}>
        {(input) => (
          <TextArea
            {...input}
            // Growing by itself would take a style attribute, which the content policy refuses.
            rows={2}
            maxLength={DESCRIPTION_MAX}
          />
        )}
      </Field>
      <div className={dialog.actions}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <SubmitButton sending={sending} retryAt={failure?.retryAt}>
          {t('apps.createSubmit')}
        </SubmitButton>
      </div>
    </form>
  )
}
