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

/** The parameters with which a provider's sign-in returns. */
const NEWS = ['failed', 'provider', 'step', 'notice'] as const

function SignIn({ search }: { search: string }) {
  const link = useSignInLink(({ token }) => token)
  const [answer, setAnswer] = useState<SignInAnswer | null>(null)
  const { step, ...news } = useOnceInAddress(NEWS)
  // Failures must be shown, and second steps completed, even if someone is already signed in.
  const stays = news.failed !== null || step === 'mfa'
  // A link decides who signs in, even if someone is already signed in.
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
 * Sends users who are already signed in to their destination. The form doesn't wait for the answer,
 * and failures are silent: the form is on screen anyway.
 */
function useLeaveWhenKnown(
  search: string,
  { applies, stays }: { applies: boolean; stays: boolean },
): void {
  // Ask again once back online.
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
