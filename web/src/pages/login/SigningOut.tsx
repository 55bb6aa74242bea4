import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { signOut } from '../../api/account'
import type { ApiError } from '../../api/errors'
import { FormError } from '../../components/form/FormError'
import { LoadingScreen } from '../../components/LoadingScreen'
import { useT } from '../../i18n/useT'
import { browser } from '../../lib/navigation'
import { withoutParameter } from '../../lib/query'
import { paths } from '../../paths'
import { forgetUser } from '../../session/session'
import styles from './login.module.css'

let running: Promise<unknown> | null = null

/** One call, however often the page renders. */
function signOutOnce(): Promise<unknown> {
  running ??= signOut().finally(() => {
    running = null
  })
  return running
}

/** Ends the session, then reloads the console: no user data stays in memory. */
export function SigningOut({ search }: { search: string }) {
  const t = useT()
  const [attempt, setAttempt] = useState(0)
  const [failure, setFailure] = useState<ApiError | null>(null)

  useEffect(() => {
    let gone = false
    signOutOnce().then(
      () => {
        if (gone) return
        forgetUser()
        browser.replace(paths.login() + withoutParameter(search, 'logout'))
      },
      (error: ApiError) => !gone && setFailure(error),
    )
    return () => {
      gone = true
    }
  }, [attempt, search])

  if (!failure) return <LoadingScreen />
  // Claiming success would leave a session open on a machine someone is walking away from.
  return (
    <>
      <h1 className={styles.title}>{t('logout.failed')}</h1>
      <p className={styles.lead}>{t('logout.failedHint')}</p>
      <FormError>{failure.message}</FormError>
      <Button
        type="primary"
        size="large"
        block
        onClick={() => {
          setFailure(null)
          setAttempt(attempt + 1)
        }}
      >
        {t('common.retry')}
      </Button>
    </>
  )
}
