import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { parseQuery } from '../../lib/query'
import { follow } from '../../session/appEntry'
import { destinationFor, isKnownSignedOut, loadUser, startUp } from '../../session/session'
import { SignInFrame } from '../../layouts/SignInFrame'
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

function SignIn({ search }: { search: string }) {
  useLeaveWhenKnown(search)
  const registers = 'register' in parseQuery(search)
  return registers ? <Register search={search} /> : <SignInMethods search={search} />
}

/**
 * Someone already signed in goes on to where they were heading. The form does not wait for the
 * answer, and here failures are silent: the form is what remains, and it is on screen.
 */
function useLeaveWhenKnown(search: string): void {
  useEffect(() => {
    let left = false
    async function leaveWhenKnown() {
      await startUp()
      if (isKnownSignedOut()) return
      const user = await loadUser()
      if (!left) follow(destinationFor(user, search), { replace: true })
    }
    leaveWhenKnown().catch(() => {})
    return () => {
      left = true
    }
  }, [search])
}
