/** The last net: a screen whose code did not arrive or that broke while drawing. */
import { Button } from 'antd'
import { useRouteError } from 'react-router'
import { ApiError } from '../../api/errors'
import { Centered } from '../../components/Centered'
import { Statement } from '../../components/Statement'
import { useT } from '../../i18n/useT'

export function ErrorScreen() {
  const t = useT()
  const error = useRouteError()
  return (
    <main>
      <Centered>
        <Statement
          title={t('broken.title')}
          actions={
            <Button type="primary" onClick={() => window.location.reload()}>
              {t('common.reload')}
            </Button>
          }
        >
          <p>{t('broken.text')}</p>
          {error instanceof ApiError && <p>{error.message}</p>}
          {error instanceof ApiError && error.requestId && (
            <p>{t('error.requestId', { id: error.requestId })}</p>
          )}
        </Statement>
      </Centered>
    </main>
  )
}
