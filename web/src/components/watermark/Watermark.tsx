/** Marks every screen with its user, unless the operator has turned that off. */
import { useEffect } from 'react'
import { useEnvironment } from '../../session/useEnvironment'
import { useCurrentUser } from '../../session/useCurrentUser'
import { useIsDark } from '../../theme/store'
import { layOver, markText } from './mark'

const COLORS = { light: 'rgba(23, 32, 46, 0.04)', dark: 'rgba(230, 235, 242, 0.04)' } as const

export function Watermark() {
  const wanted = useEnvironment()?.watermark === true
  const user = useCurrentUser()
  const color = COLORS[useIsDark() ? 'dark' : 'light']
  const text = wanted && user ? markText(user.name, user.email) : null

  useEffect(() => (text ? layOver(text, color) : undefined), [text, color])
  return null
}
