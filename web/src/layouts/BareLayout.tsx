/** For the few pages outside the shell that are no sign-in form: brand, preferences, content. */
import { Outlet } from 'react-router'
import { SignInFrame } from './SignInFrame'

export default function BareLayout() {
  return (
    <SignInFrame>
      <Outlet />
    </SignInFrame>
  )
}
