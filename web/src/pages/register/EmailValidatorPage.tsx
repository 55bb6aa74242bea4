/** Where a mailed or printed link leads: it proves the address and makes the account. */
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useParams } from 'react-router'
import { registerTokenQuery } from '../../api/account'
import { ApiError } from '../../api/errors'
import { LinkButton } from '../../components/LinkButton'
import { LoadingScreen } from '../../components/LoadingScreen'
import { Statement } from '../../components/Statement'
import { useT } from '../../i18n/useT'
import { SignInFrame } from '../../layouts/SignInFrame'
import { paths } from '../../paths'
import { ProfileForm } from './ProfileForm'

export default function EmailValidatorPage() {
  const { token = '' } = useParams()
  return (
    <SignInFrame>
      <Validation token={token} />
    </SignInFrame>
  )
}

function Validation({ token }: { token: string }) {
  const t = useT()
  const link = useQuery(registerTokenQuery(token))
  if (link.data) return <ProfileForm token={token} link={link.data} />
  if (!link.error) return <LoadingScreen />
  if (isGone(link.error)) return <LinkGone />
  return (
    <Statement
      title={t('validator.failed')}
      actions={
        <Button type="primary" loading={link.isFetching} onClick={() => void link.refetch()}>
          {t('common.retry')}
        </Button>
      }
    >
      <p role="alert">{link.error.message}</p>
      {link.error instanceof ApiError && link.error.requestId && (
        <p>{t('error.requestId', { id: link.error.requestId })}</p>
      )}
    </Statement>
  )
}

function LinkGone() {
  const t = useT()
  return (
    <Statement
      title={t('validator.gone')}
      actions={
        <LinkButton type="primary" to={paths.login()}>
          {t('common.toSignIn')}
        </LinkButton>
      }
    >
      <p>{t('validator.goneText')}</p>
    </Statement>
  )
}

/** Used and expired, and likewise a link that lost characters on its way here. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && [404, 410, 422].includes(error.status)
}
