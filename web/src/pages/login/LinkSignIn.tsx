/** Signing in with an operator's link. The link is all it takes, so there is no form. */
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { signInByLink, type SignInAnswer } from '../../api/account'
import type { ApiError } from '../../api/errors'
import { LoadingScreen } from '../../components/LoadingScreen'
import { MessagePage } from '../../components/MessagePage'
import { useCountdown } from '../../components/useCountdown'
import { useT } from '../../i18n/useT'
import { withRegions } from '../../session/arrive'
import { forgetSignInLink } from '../../session/signInLink'

let running: { token: string; answer: Promise<SignInAnswer> } | null = null

/** One call per link, however often the page renders: a second call would find it used. */
function signInOnce(token: string): Promise<SignInAnswer> {
  if (running?.token !== token) running = { token, answer: withRegions(signInByLink(token)) }
  return running.answer
}

interface LinkSignInProps {
  token: string
  onAnswer: (answer: SignInAnswer) => void
}

export function LinkSignIn({ token, onAnswer }: LinkSignInProps) {
  const [failure, setFailure] = useState<ApiError | null>(null)

  useEffect(() => {
    if (failure) return
    let gone = false
    signInOnce(token).then(
      (answer) => !gone && onAnswer(answer),
      (error: ApiError) => !gone && setFailure(error),
    )
    return () => {
      gone = true
    }
  }, [token, onAnswer, failure])

  if (!failure) return <LoadingScreen />
  return (
    <LinkProblem
      failure={failure}
      onRetry={() => {
        running = null
        setFailure(null)
      }}
    />
  )
}

function LinkProblem({ failure, onRetry }: { failure: ApiError; onRetry: () => void }) {
  const t = useT()
  const wait = useCountdown(failure.retryAt)
  // Used, expired, or damaged on its way here: retrying won't help.
  const isGone = [404, 410, 422].includes(failure.status)
  return (
    <MessagePage
      title={t(isGone ? 'link.gone' : 'link.failed')}
      actions={
        <>
          {!isGone && (
            <Button type="primary" disabled={wait > 0} onClick={onRetry}>
              {wait > 0 ? t('login.wait', { seconds: wait }) : t('common.retry')}
            </Button>
          )}
          <Button type={isGone ? 'primary' : 'default'} onClick={forgetSignInLink}>
            {t('link.otherWay')}
          </Button>
        </>
      }
    >
      <p role="alert">{isGone ? t('link.goneText') : failure.message}</p>
    </MessagePage>
  )
}
