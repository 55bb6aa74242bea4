import { useState } from 'react'
import { rememberedMethod, rememberMethod, type SignInTab } from './method'

/** What is open: the form of single sign-on, or one of the tabs. */
export function useSignInMethod(
  hasSso: boolean,
  { known, waives }: { known: boolean; waives: boolean },
) {
  const [remembered] = useState(rememberedMethod)
  const [tab, setTab] = useState<SignInTab>(remembered === 'code' ? 'code' : 'password')
  const [inSso, setInSso] = useState(false)
  // Whoever moves between the tabs by keyboard stays on them.
  const [moved, setMoved] = useState(false)
  // The form is there before the server has said what it has.
  const [decided, setDecided] = useState(remembered !== 'sso')
  if (!decided && known) {
    setDecided(true)
    setInSso(hasSso && !waives && !moved)
  }
  return {
    tab,
    inSso,
    moved,
    choose(chosen: SignInTab) {
      rememberMethod(chosen)
      setTab(chosen)
      setMoved(true)
    },
    openSso() {
      rememberMethod('sso')
      setInSso(true)
    },
    closeSso() {
      rememberMethod(tab)
      setInSso(false)
      setMoved(false)
    },
  }
}
