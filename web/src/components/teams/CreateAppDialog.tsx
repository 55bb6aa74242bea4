import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Select } from 'antd'
import TextArea from 'antd/es/input/TextArea'
import { useForm } from 'react-hook-form'
import { appsOf, appZonesQuery, createApp } from '../../api/apps'
import type { Region } from '../../api/environment'
import { allOrgs } from '../../api/orgs'
import { Dialog } from '../Dialog'
import { DialogForm } from '../FormDialog'
import { Field } from '../form/Field'
import { filled } from '../form/rules'
import { TextInput } from '../form/TextInput'
import { besideField, TimezoneSelect } from '../form/TimezoneSelect'
import { useSubmit } from '../form/useSubmit'
import { Loaded } from '../Loaded'
import { useT } from '../../i18n/useT'
import { QUICK_START } from '../../paths'
import { openAppEntry } from '../../session/appEntry'
import { useOrg } from '../../session/org'
import { reloadUser } from '../../session/session'
import { useRegionName } from './useRegionName'

const DESCRIPTION_MAX = 500

const firstRegion = (zones: Region[]) => zones[0]?.region ?? ''

export function CreateAppDialog({ onCancel }: { onCancel: () => void }) {
  const t = useT()
  return (
    <Dialog title={t('apps.create')} width={480} onCancel={onCancel}>
      <CreateForm onCancel={onCancel} />
    </Dialog>
  )
}

function CreateForm({ onCancel }: { onCancel: () => void }) {
  const t = useT()
  const org = useOrg()
  const zones = useQuery(appZonesQuery)
  const regionName = useRegionName()
  const client = useQueryClient()
  const form = useForm({
    mode: 'onBlur',
    defaultValues: {
      name: '',
      // Empty selects the first region: the name can be typed before the regions have loaded.
      region: '',
      timezone: org.timezone,
      description: '',
    },
  })
  const { control } = form
  const submitting = useSubmit(form, {
    send: async ({ name, region, description, ...rest }) =>
      createApp(org.id, {
        ...rest,
        name: name.trim(),
        region: region || firstRegion(await client.ensureQueryData(appZonesQuery)),
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
    <DialogForm submitting={submitting} submit={t('apps.createSubmit')} onCancel={onCancel}>
      <Field
        control={control}
        name="name"
        label={t('apps.name')}
        rules={filled(t('apps.nameRequired'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" />}
      </Field>
      <Field control={control} name="region" label={t('apps.region')} hint={t('apps.regionHint')}>
        {({ name: _, value, ...input }) => (
          <Loaded query={zones} skeleton={<Select loading disabled {...input} />}>
            {(found) => (
              <Select<string>
                {...input}
                value={value || firstRegion(found)}
                options={found.map(({ region }) => ({ value: region, label: regionName(region) }))}
                getPopupContainer={besideField}
              />
            )}
          </Loaded>
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
            // Auto-sizing would need a style attribute, which the content security policy blocks.
            rows={2}
            maxLength={DESCRIPTION_MAX}
          />
        )}
      </Field>
    </DialogForm>
  )
}
