/** Registration starts with an address, to which a link is emailed. */
import { useForm } from 'react-hook-form'
import { Link, useLocation } from 'react-router'
import { register } from '../../api/account'
import { EmailField } from '../../components/form/EmailField'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { MessagePage } from '../../components/MessagePage'
import { useMailT } from '../../components/useMailT'
import { storedLanguage } from '../../i18n/language'
import { useT } from '../../i18n/useT'
import { goTo } from '../../lib/navigation'
import { parseQuery, queryText } from '../../lib/query'
import { paths } from '../../paths'
import { readArrival } from '../../session/arrival'
import { useEnvironment } from '../../session/useEnvironment'
import styles from './login.module.css'

export function Register({ search }: { search: string }) {
  const redirect = queryText(parseQuery(search), 'redirect') ?? undefined
  const signInPath = paths.login({ redirect })
  const closed = useEnvironment()?.registration === 'invite'
  return closed ? <Closed signInPath={signInPath} /> : <AddressForm signInPath={signInPath} />
}

function Closed({ signInPath }: { signInPath: string }) {
  const t = useT()
  const mailT = useMailT()
  return (
    <MessagePage
      title={t('register.closed')}
      actions={
        <LinkButton type="primary" to={signInPath}>
          {t('common.toSignIn')}
        </LinkButton>
      }
    >
      <p>{mailT('register.closedText')}</p>
    </MessagePage>
  )
}

function AddressForm({ signInPath }: { signInPath: string }) {
  const t = useT()
  const mailT = useMailT()
  const arrival = readArrival(useLocation().state)
  const form = useForm({ mode: 'onBlur', defaultValues: { email: arrival.email ?? '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async (values) => {
      const email = values.email.trim()
      await register({ email, locale: storedLanguage() })
      return email
    },
    done: (email) =>
      goTo(paths.emailSent({ purpose: 'register' }), { state: { email, sentAt: Date.now() } }),
  })
  return (
    <>
      <h1 className={styles.title}>{t('register.title')}</h1>
      <p className={styles.lead}>{mailT('register.lead')}</p>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <EmailField control={form.control} name="email" autoFocus />
        <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
          {mailT('register.submit')}
        </SubmitButton>
      </form>
      <p className={styles.note}>
        {t('register.known')} <Link to={signInPath}>{t('common.toSignIn')}</Link>
      </p>
    </>
  )
}
