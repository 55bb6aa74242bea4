import { Button, Select } from 'antd'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import type { User } from '../../api/account'
import { updateProfile } from '../../api/profile'
import { EmailField } from '../../components/form/EmailField'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { filled } from '../../components/form/rules'
import { SaveRow } from '../../components/form/SaveRow'
import { TextInput } from '../../components/form/TextInput'
import { besideField, TimezoneSelect } from '../../components/form/TimezoneSelect'
import { useUnsaved } from '../../components/form/unsaved'
import { useSubmit } from '../../components/form/useSubmit'
import { browserZone } from '../../components/form/zones'
import { useT } from '../../i18n/useT'
import { rememberUser } from '../../session/session'
import { Section } from './Section'
import styles from './Section.module.css'

// Named in themselves, like in the console's language switch.
const MAIL_LANGUAGES = [
  { value: 'zh-CN', label: '中文' },
  { value: 'en-US', label: 'English' },
]

const valuesOf = ({ email, name, locale, timezone }: User) => ({ email, name, locale, timezone })

export function ProfileSection({ user }: { user: User }) {
  const t = useT()
  const [saved, setSaved] = useState(false)
  const form = useForm({ mode: 'onBlur', defaultValues: valuesOf(user) })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ name, locale, timezone }) => updateProfile({ name: name.trim(), locale, timezone }),
    done: (changed) => {
      rememberUser(changed)
      form.reset(valuesOf(changed))
      setSaved(true)
    },
  })

  return (
    <Section name="profile">
      <form noValidate className={styles.form} onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <EmailField
          control={control}
          name="email"
          size="middle"
          readOnly
          hint={t('account.emailFixed')}
        />
        <Field
          control={control}
          name="name"
          label={t('field.name')}
          rules={filled(t('field.name.required'))}
        >
          {(input) => <TextInput {...input} autoComplete="name" />}
        </Field>
        <Field
          control={control}
          name="locale"
          label={t('account.locale')}
          hint={t('account.localeHint')}
        >
          {({ name: _, ...input }) => (
            <Select<string> {...input} options={MAIL_LANGUAGES} getPopupContainer={besideField} />
          )}
        </Field>
        <Field
          control={control}
          name="timezone"
          label={t('account.timezone')}
          hint={t('account.timezoneHint')}
        >
          {({ name: _, ...input }) => <TimezoneSelect {...input} />}
        </Field>
        <UseBrowserZone
          chosen={useWatch({ control, name: 'timezone' })}
          onUse={(zone) => form.setValue('timezone', zone, { shouldDirty: true })}
        />
        <SaveRow
          label={t('common.save')}
          sending={sending}
          retryAt={failure?.retryAt}
          disabled={!formState.isDirty}
          saved={saved && !formState.isDirty ? t('common.saved') : ''}
        />
      </form>
    </Section>
  )
}

/** One click for people who have moved. */
function UseBrowserZone({ chosen, onUse }: { chosen: string; onUse: (zone: string) => void }) {
  const t = useT()
  const zone = browserZone()
  if (zone === chosen) return null
  return (
    <p>
      <Button type="link" className={styles.inline} onClick={() => onUse(zone)}>
        {t('account.useBrowserZone', { zone })}
      </Button>
    </p>
  )
}
