/** The console's frame stays for signed-in users; everyone else gets a link to sign in. */
import { lazy, Suspense } from 'react'
import { Centered } from '../../components/Centered'
import { LinkButton } from '../../components/LinkButton'
import { LoadingScreen } from '../../components/LoadingScreen'
import { pageCode } from '../../components/onDemand'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { SignInFrame } from '../../layouts/SignInFrame'
import { paths } from '../../paths'
import { useUser } from '../../session/useUser'

const Shell = lazy(async () => ({
  default: (await pageCode(() => import('../../layouts/Shell'))).Shell,
}))

export default function NotFoundPage() {
  const user = useUser()
  if (!user) {
    return (
      <SignInFrame>
        <NotFound />
      </SignInFrame>
    )
  }
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Shell>
        <Centered>
          <NotFound signedIn />
        </Centered>
      </Shell>
    </Suspense>
  )
}

function NotFound({ signedIn = false }: { signedIn?: boolean }) {
  const t = useT()
  return (
    <MessagePage
      mark="404"
      title={t('notFound.title')}
      actions={
        <LinkButton type="primary" to={signedIn ? paths.root() : paths.login()}>
          {t(signedIn ? 'common.toApps' : 'common.toSignIn')}
        </LinkButton>
      }
    >
      <p>{t('notFound.text')}</p>
    </MessagePage>
  )
}
