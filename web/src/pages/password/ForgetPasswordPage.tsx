import { useForm } from 'react-hook-form'
import { Link, useLocation } from 'react-router'
import { forgetPassword } from '../../api/account'
import { EmailField } from '../../components/form/EmailField'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { useMailT } from '../../components/useMailT'
import { useT } from '../../i18n/useT'
import { goTo } from '../../lib/navigation'
import { paths } from '../../paths'
import { readArrival } from '../../session/arrival'
import styles from './password.module.css'

export default function ForgetPasswordPage() {
  const t = useT()
  const mailT = useMailT()
  const arrival = readArrival(useLocation().state)
  const form = useForm({ mode: 'onBlur', defaultValues: { email: arrival.email ?? '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async (values) => {
      const email = values.email.trim()
      await forgetPassword(email)
      return email
    },
    done: (email) =>
      goTo(paths.emailSent({ purpose: 'reset' }), { state: { email, sentAt: Date.now() } }),
  })
  return (
    <>
      <h1 className={styles.title}>{t('title.forgetPwd')}</h1>
      <p className={styles.lead}>{mailT('forget.lead')}</p>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <EmailField control={form.control} name="email" autoFocus />
        <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
          {mailT('forget.submit')}
        </SubmitButton>
      </form>
      <p className={styles.note}>
        <Link to={paths.login()}>{t('common.backToSignIn')}</Link>
      </p>
    </>
  )
}
