import { useState } from 'react'
import { rememberedMethod, rememberMethod, type SignInTab } from './method'

/** What is open: the single sign-on form, or one of the tabs. */
export function useSignInMethod(
  hasSso: boolean,
  { known, waives }: { known: boolean; waives: boolean },
) {
  const [remembered] = useState(rememberedMethod)
  const [tab, setTab] = useState<SignInTab>(remembered === 'code' ? 'code' : 'password')
  const [inSso, setInSso] = useState(false)
  // Keyboard users moving between tabs keep their focus there.
  const [moved, setMoved] = useState(false)
  // The form appears before the server has said which providers exist.
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
