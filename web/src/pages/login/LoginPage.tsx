import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { asksSecondStep, type SignInAnswer } from '../../api/account'
import { useConnection } from '../../api/connection'
import { LoadingScreen } from '../../components/LoadingScreen'
import { parseQuery } from '../../lib/query'
import { useOnceInAddress } from '../../router/useOnceInAddress'
import { follow } from '../../session/appEntry'
import { proceed } from '../../session/arrive'
import {
  destinationFor,
  forgetUser,
  isKnownSignedOut,
  loadUser,
  startUp,
} from '../../session/session'
import { forgetSignInLink, useSignInLink } from '../../session/signInLink'
import { SignInFrame } from '../../layouts/SignInFrame'
import { LinkSignIn } from './LinkSignIn'
import { Register } from './Register'
import { SignInMethods } from './SignInMethods'
import { SigningOut } from './SigningOut'

export default function LoginPage() {
  const { search } = useLocation()
  const leaving = 'logout' in parseQuery(search)
  return (
    <SignInFrame>
      {leaving ? <SigningOut search={search} /> : <SignIn search={search} />}
    </SignInFrame>
  )
}

/** How a provider's sign-in ended. */
const NEWS = ['failed', 'provider', 'step', 'notice'] as const

function SignIn({ search }: { search: string }) {
  const link = useSignInLink(({ token }) => token)
  const [answer, setAnswer] = useState<SignInAnswer | null>(null)
  const { step, ...news } = useOnceInAddress(NEWS)
  // A failure is to be read, and a second step to be taken, by whoever is signed in here too.
  const stays = news.failed !== null || step === 'mfa'
  // A link says who wants to sign in, whoever is signed in here.
  useLeaveWhenKnown(search, { applies: link === null && answer === null, stays })

  function leaveByLink(answered: SignInAnswer) {
    setAnswer(answered)
    forgetSignInLink()
    forgetUser()
    proceed(answered, { search })
  }

  if (link !== null) return <LinkSignIn token={link} onAnswer={leaveByLink} />
  if (answer && !asksSecondStep(answer)) return <LoadingScreen />
  if ('register' in parseQuery(search)) return <Register search={search} />
  return <SignInMethods search={search} halfway={answer !== null || step === 'mfa'} news={news} />
}

/**
 * Someone already signed in goes on to where they were heading. The form does not wait for the
 * answer, and here failures are silent: the form is what remains, and it is on screen.
 */
function useLeaveWhenKnown(
  search: string,
  { applies, stays }: { applies: boolean; stays: boolean },
): void {
  // What could not be asked without a connection is asked with it.
  const lost = useConnection(({ state }) => state === 'lost')
  useEffect(() => {
    if (!applies || lost) return
    let left = false
    async function leaveWhenKnown() {
      await startUp()
      if (stays || isKnownSignedOut()) return
      const user = await loadUser()
      if (!left) follow(destinationFor(user, search), { replace: true })
    }
    leaveWhenKnown().catch(() => {})
    return () => {
      left = true
    }
  }, [search, applies, stays, lost])
}
