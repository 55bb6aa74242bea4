/** An emailed link that doesn't work: gone for good, or impossible to check right now. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from 'antd'
import { ApiError } from '../api/errors'
import { useT } from '../i18n/useT'
import { RequestId } from './RequestId'
import { MessagePage } from './MessagePage'

interface LinkFailureProps {
  link: UseQueryResult<unknown>
  /** Text for a used or expired link, with a way forward. */
  gone: React.ReactNode
}

export function LinkFailure({ link, gone }: LinkFailureProps) {
  const t = useT()
  if (!link.error || isGone(link.error)) return gone
  return (
    <MessagePage
      title={t('validator.failed')}
      actions={
        <Button type="primary" loading={link.isFetching} onClick={() => void link.refetch()}>
          {t('common.retry')}
        </Button>
      }
    >
      <p role="alert">{link.error.message}</p>
      {link.error instanceof ApiError && link.error.requestId && (
        <RequestId id={link.error.requestId} />
      )}
    </MessagePage>
  )
}

/** Used, expired, or mangled on its way here. */
function isGone(error: Error): boolean {
  return error instanceof ApiError && [404, 410, 422].includes(error.status)
}
