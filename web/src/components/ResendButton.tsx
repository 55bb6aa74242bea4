import { Button } from 'antd'
import { useState } from 'react'
import { ApiError } from '../api/errors'
import { FormError } from './form/FormError'
import { useCountdown } from './useCountdown'
import { useMailT } from './useMailT'

/** How long the server waits before sending another email to the same address. */
const RESEND_AFTER_MS = 60_000

interface ResendButtonProps {
  send: () => Promise<unknown>
  /** When the last email was requested (ms); null if this page doesn't know. */
  sentAt: number | null
}

/** Sends an email again once the wait is over. If the server gives a wait, that counts. */
export function ResendButton({ send, sentAt }: ResendButtonProps) {
  const mailT = useMailT()
  const [until, setUntil] = useState(sentAt === null ? null : sentAt + RESEND_AFTER_MS)
  const [sending, setSending] = useState(false)
  const [outcome, setOutcome] = useState<'sent' | ApiError | null>(null)
  const wait = useCountdown(until)

  async function resend() {
    setSending(true)
    setOutcome(null)
    try {
      await send()
      setUntil(Date.now() + RESEND_AFTER_MS)
      setOutcome('sent')
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.retryAt) setUntil(error.retryAt)
      setOutcome(error)
    } finally {
      setSending(false)
    }
  }

  return (
    <div>
      {outcome instanceof ApiError && <FormError>{outcome.message}</FormError>}
      <Button block disabled={wait > 0} loading={sending} onClick={() => void resend()}>
        {wait > 0 ? mailT('resend.wait', { seconds: wait }) : mailT('resend.again')}
      </Button>
      <p role="status" className="visually-hidden">
        {outcome === 'sent' ? mailT('resend.sent') : ''}
      </p>
    </div>
  )
}
