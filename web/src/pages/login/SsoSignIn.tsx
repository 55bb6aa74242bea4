/** Single sign-on: the work address decides which provider the browser goes to. */
import { useForm } from 'react-hook-form'
import { ApiError } from '../../api/errors'
import { startSso } from '../../api/sso'
import { EmailField } from '../../components/form/EmailField'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { useLeavePage } from '../../components/useProviderRedirect'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import styles from './login.module.css'

interface SsoSignInProps {
  search: string
  address: string
  onAddress: (address: string) => void
}

export function SsoSignIn({ search, address, onAddress }: SsoSignInProps) {
  const t = useT()
  const { leaving, leave } = useLeavePage()
  const form = useForm({ mode: 'onBlur', defaultValues: { email: address } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ email }) => {
      const redirect = queryText(parseQuery(search), 'redirect') ?? undefined
      return startSso({ email: email.trim() }, redirect).catch((error: unknown) => {
        throw isUnknownDomain(error) ? atAddressField(error, t('sso.notFound')) : error
      })
    },
    done: leave,
  })
  return (
    <form
      noValidate
      aria-labelledby="sso-title"
      onSubmit={(event) => (leaving ? event.preventDefault() : onSubmit(event))}
    >
      <h2 id="sso-title" className={styles.formTitle}>
        {t('provider.sso')}
      </h2>
      <FormError>{failure?.status === 503 ? t('sso.unavailable') : failure?.message}</FormError>
      <EmailField
        control={form.control}
        name="email"
        label={t('field.workEmail')}
        hint={t('sso.hint')}
        onType={onAddress}
        autoFocus
      />
      <SubmitButton size="large" block sending={sending || leaving} retryAt={failure?.retryAt}>
        {t('sso.submit')}
      </SubmitButton>
    </form>
  )
}

function isUnknownDomain(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'sso_not_found'
}

function atAddressField({ status, code }: ApiError, text: string): ApiError {
  return new ApiError({ status, code, text: () => text, fields: { email: text } })
}
