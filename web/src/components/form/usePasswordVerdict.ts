import { useEffect, useState } from 'react'
import { checkPassword, type PasswordVerdict } from '../../api/account'
import { useDebounced } from '../table/useDebounced'
import { PASSWORD_LENGTH } from './rules'

/**
 * The server's verdict on a new password, after typing pauses. It decides in the end, with lists
 * too large for a browser, so the meter follows it. Null until known.
 */
export function usePasswordVerdict(
  password: string,
  about: string[],
  token?: string,
): PasswordVerdict | null {
  const [known, setKnown] = useState<{ password: string; verdict: PasswordVerdict } | null>(null)
  const settled = useDebounced(password)
  const words = useDebounced(about.join('\n'))
  useEffect(() => {
    if ([...settled].length < PASSWORD_LENGTH.min) return
    const stop = new AbortController()
    checkPassword({ password: settled, about: words.split('\n'), token }, stop.signal)
      .then((verdict) => setKnown({ password: settled, verdict }))
      // Without an answer, the meter relies on its own estimate.
      .catch(() => {})
    return () => stop.abort()
  }, [settled, words, token])
  return known?.password === password ? known.verdict : null
}
