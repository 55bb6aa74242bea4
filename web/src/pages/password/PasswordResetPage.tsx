/** The target of a password reset link: set a new password, then sign in. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useParams } from 'react-router'
import { resetPassword, resetTokenQuery } from '../../api/account'
import { ApiError } from '../../api/errors'
import { EmailField } from '../../components/form/EmailField'
import { FormError } from '../../components/form/FormError'
import { NewPasswordField } from '../../components/form/NewPasswordField'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { LinkFailure } from '../../components/LinkFailure'
import { LoadingScreen } from '../../components/LoadingScreen'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { goTo } from '../../lib/navigation'
import { paths } from '../../paths'
import { forgetUser } from '../../session/session'
import styles from './password.module.css'

export default function PasswordResetPage() {
  const { token = '' } = useParams()
  const link = useQuery(resetTokenQuery(token))
  if (link.data) return <ResetForm token={token} email={link.data.email} />
  if (!link.error) return <LoadingScreen />
  return <LinkFailure link={link} gone={<LinkGone />} />
}

function ResetForm({ token, email }: { token: string; email: string }) {
  const t = useT()
  // The link can be used in another tab while this form is open.
  const [gone, setGone] = useState(false)
  const form = useForm({ mode: 'onBlur', defaultValues: { email, password: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ password }) =>
      resetPassword({ token, password }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 410) setGone(true)
        throw error
      }),
    done: () => {
      // All sessions have ended, including this browser's.
      forgetUser()
      goTo(paths.login(), { replace: true, state: { notice: 'passwordReset', email } })
    },
  })
  if (gone) return <LinkGone />
  return (
    <>
      <h1 className={styles.title}>{t('title.pwdReset')}</h1>
      <p className={styles.lead}>{t('reset.lead')}</p>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <EmailField control={form.control} name="email" readOnly />
        <NewPasswordField
          control={form.control}
          name="password"
          label={t('field.newPassword')}
          personal={[email]}
          token={token}
          size="large"
          autoFocus
        />
        <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
          {t('reset.submit')}
        </SubmitButton>
      </form>
    </>
  )
}

function LinkGone() {
  const t = useT()
  return (
    <MessagePage
      title={t('validator.gone')}
      actions={
        <>
          <LinkButton type="primary" to={paths.forgetPassword()}>
            {t('reset.again')}
          </LinkButton>
          <LinkButton to={paths.login()}>{t('common.toSignIn')}</LinkButton>
        </>
      }
    >
      <p>{t('reset.goneText')}</p>
    </MessagePage>
  )
}
