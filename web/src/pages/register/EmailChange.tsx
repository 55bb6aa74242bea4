/** The page behind the link to a new address, which only takes effect once confirmed here. */
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { confirmEmail, type User } from '../../api/account'
import { ApiError } from '../../api/errors'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { LinkButton } from '../../components/LinkButton'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { reloadUser } from '../../session/session'

interface EmailChangeProps {
  token: string
  email: string
  /**
   * The account's current address, because whoever opens the link must know which account it
   * changes.
   */
  account: string
  /** Shown for a used or expired link. */
  gone: React.ReactNode
}

/**
 * If signed in here, the user returns to the profile; otherwise, to sign-in with the new address.
 */
interface Changed {
  email: string
  user: User | null
}

export function EmailChange({ token, email, account, gone }: EmailChangeProps) {
  const t = useT()
  const [changed, setChanged] = useState<Changed | null>(null)
  const [isGone, setGone] = useState(false)
  const { sending, failure, onSubmit } = useSubmit(useForm(), {
    send: async () => {
      const confirmed = await confirmEmail(token).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 410) setGone(true)
        throw error
      })
      return { email: confirmed.email, user: await reloadUser().catch(() => null) }
    },
    done: setChanged,
  })
  if (isGone) return gone
  if (changed) return <Done {...changed} />
  return (
    <form noValidate onSubmit={onSubmit}>
      <MessagePage
        title={t('validator.email_change.title')}
        actions={
          <SubmitButton size="large" sending={sending} retryAt={failure?.retryAt}>
            {t('validator.email_change.submit')}
          </SubmitButton>
        }
      >
        <FormError>{failure?.message}</FormError>
        <p>{t('validator.email_change.lead', { account, email })}</p>
      </MessagePage>
    </form>
  )
}

function Done({ email, user }: Changed) {
  const t = useT()
  return (
    <MessagePage
      title={t('email.changed')}
      actions={
        <LinkButton type="primary" to={user ? paths.profile('email') : paths.login()}>
          {t(user ? 'email.toProfile' : 'common.toSignIn')}
        </LinkButton>
      }
    >
      <p role="status">{t('email.changedText', { email })}</p>
    </MessagePage>
  )
}
