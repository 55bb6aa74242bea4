/** The last resort: a screen whose code failed to load or that crashed while rendering. */
import { Button } from 'antd'
import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { ApiError } from '../../api/errors'
import { Centered } from '../../components/Centered'
import { MissingCode } from '../../components/onDemand'
import { RequestId } from '../../components/RequestId'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { browser } from '../../lib/navigation'
import { reportError } from '../../reports/early'
import { MissingPage } from './MissingPage'

export function ErrorScreen() {
  const error = useRouteError()
  const isMissing = error instanceof MissingCode
  return <main>{isMissing ? <MissingPage error={error} /> : <Broken error={error} />}</main>
}

function Broken({ error }: { error: unknown }) {
  const t = useT()
  // Server errors are in the server's own log.
  useEffect(() => {
    if (!(error instanceof ApiError) && !isRouteErrorResponse(error)) reportError(error)
  }, [error])
  return (
    <Centered>
      <MessagePage
        title={t('broken.title')}
        actions={
          <Button type="primary" onClick={() => browser.reload()}>
            {t('common.reload')}
          </Button>
        }
      >
        <p>{t('broken.text')}</p>
        {error instanceof ApiError && <p>{error.message}</p>}
        {error instanceof ApiError && error.requestId && <RequestId id={error.requestId} />}
      </MessagePage>
    </Centered>
  )
}
