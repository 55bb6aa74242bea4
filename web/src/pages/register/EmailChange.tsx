/** The link to a new address was followed. It counts only once the person says so here. */
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
  /** The address of the account that moves: whoever opens the link must know whose it is. */
  account: string
  /** What to say of a link that is used or expired. */
  gone: React.ReactNode
}

/** Signed in here, the person goes back to the profile; otherwise the new address is for signing in. */
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
