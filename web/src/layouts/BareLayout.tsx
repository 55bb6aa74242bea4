/** For the few pages outside the shell that aren't sign-in forms: brand, preferences, content. */
import { Outlet } from 'react-router'
import { SignInFrame } from './SignInFrame'

export default function BareLayout() {
  return (
    <SignInFrame>
      <Outlet />
    </SignInFrame>
  )
}
