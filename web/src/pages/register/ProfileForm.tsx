import { useForm, useWatch } from 'react-hook-form'
import { registerProfile, type RegisterToken } from '../../api/account'
import { EmailField } from '../../components/form/EmailField'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { NewPasswordField } from '../../components/form/NewPasswordField'
import { filled } from '../../components/form/rules'
import { SubmitButton } from '../../components/form/SubmitButton'
import { TextInput } from '../../components/form/TextInput'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { openAppEntry } from '../../session/appEntry'
import { rememberUser } from '../../session/session'
import styles from './ProfileForm.module.css'

export function ProfileForm({ token, link }: { token: string; link: RegisterToken }) {
  const t = useT()
  // A new instance's setup link was emailed to nobody, so it has no address.
  const asksAddress = link.email == null
  // Invited people join a team that already has a name.
  const asksTeam = link.kind !== 'invitation'

  const form = useForm({
    mode: 'onBlur',
    defaultValues: { email: link.email ?? '', name: '', password: '', organization_name: '' },
  })
  const { control } = form
  const personal = useWatch({ control, name: ['email', 'name', 'organization_name'] })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: (values) =>
      registerProfile({
        token,
        name: values.name.trim(),
        password: values.password,
        // The team's time zone defaults to the user's.
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...(asksAddress && { email: values.email.trim() }),
        ...(asksTeam && { organization_name: values.organization_name.trim() }),
      }),
    done: (user) => {
      rememberUser(user)
      openAppEntry(user.last_app, { replace: true })
    },
  })

  return (
    <>
      <h1 className={styles.title}>{t(`validator.${link.kind}.title`)}</h1>
      <p className={styles.lead}>
        {link.organization
          ? t('validator.invitation.leadNamed', { name: link.organization })
          : t(`validator.${link.kind}.lead`)}
      </p>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <EmailField
          control={control}
          name="email"
          readOnly={!asksAddress}
          autoFocus={asksAddress}
        />
        <Field
          control={control}
          name="name"
          label={t('field.name')}
          rules={filled(t('field.name.required'))}
        >
          {(input) => (
            <TextInput {...input} autoComplete="name" size="large" autoFocus={!asksAddress} />
          )}
        </Field>
        <NewPasswordField
          control={control}
          name="password"
          label={t('field.password')}
          personal={personal}
          token={token}
          size="large"
        />
        {asksTeam && (
          <Field
            control={control}
            name="organization_name"
            label={t('field.team')}
            rules={filled(t('field.team.required'))}
          >
            {(input) => <TextInput {...input} autoComplete="organization" size="large" />}
          </Field>
        )}
        <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
          {t(`validator.${link.kind}.submit`)}
        </SubmitButton>
      </form>
    </>
  )
}
