/**
 * The target of emailed and printed links: verifies the address, and creates or changes the
 * account.
 */
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { registerTokenQuery } from '../../api/account'
import { LinkButton } from '../../components/LinkButton'
import { LinkFailure } from '../../components/LinkFailure'
import { LoadingScreen } from '../../components/LoadingScreen'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { SignInFrame } from '../../layouts/SignInFrame'
import { paths } from '../../paths'
import { useEnvironment } from '../../session/useEnvironment'
import { EmailChange } from './EmailChange'
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
  const link = useQuery(registerTokenQuery(token))
  if (link.data?.kind === 'email_change') {
    const { email, account } = link.data
    return (
      <EmailChange token={token} email={email ?? ''} account={account ?? ''} gone={<LinkGone />} />
    )
  }
  if (link.data) return <ProfileForm token={token} link={link.data} />
  if (!link.error) return <LoadingScreen />
  return <LinkFailure link={link} gone={<LinkGone />} />
}

function LinkGone() {
  const t = useT()
  const open = useEnvironment()?.registration === 'open'
  return (
    <MessagePage
      title={t('validator.gone')}
      actions={
        <>
          <LinkButton type="primary" to={paths.login()}>
            {t('common.toSignIn')}
          </LinkButton>
          {open && <LinkButton to={paths.register()}>{t('validator.again')}</LinkButton>}
        </>
      }
    >
      <p>{t('validator.goneText')}</p>
    </MessagePage>
  )
}
