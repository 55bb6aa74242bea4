import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { lookForServer, useConnection } from '../../api/connection'
import { Centered } from '../../components/Centered'
import { LoadingScreen } from '../../components/LoadingScreen'
import type { MissingCode } from '../../components/onDemand'
import { MessagePage } from '../../components/MessagePage'
import { useT } from '../../i18n/useT'
import { browser } from '../../lib/navigation'
import { takeReload } from '../../lib/reloadOnce'
import { reportError } from '../../reports/early'

/**
 * Shown instead of a page whose code failed to load. After an upgrade the server no longer has it,
 * and one reload brings the new console at the requested URL. No input is lost: the previous page
 * has already been left, after asking about unsaved changes.
 */
export function MissingPage({ error }: { error: MissingCode }) {
  const t = useT()
  const lost = useConnection(({ state }) => state === 'lost')
  const [helpless, setHelpless] = useState(false)

  useEffect(() => {
    let gone = false
    async function reload() {
      // Without a server, a reload would end at the browser's own error page, with no way back.
      if (!(await lookForServer()) || gone) return
      if (takeReload()) browser.reload()
      else {
        setHelpless(true)
        // After an upgrade, missing code is expected; a reload that doesn't fix it is worth
        // reporting.
        reportError(error)
      }
    }
    if (!lost) void reload()
    return () => {
      gone = true
    }
  }, [error, lost])

  if (!lost && !helpless) return <LoadingScreen />
  return (
    <Centered>
      <MessagePage
        title={t(lost ? 'connection.lost' : 'missing.title')}
        actions={
          !lost && (
            <Button type="primary" onClick={() => browser.reload()}>
              {t('common.reload')}
            </Button>
          )
        }
      >
        <p>{t(lost ? 'missing.offline' : 'missing.text')}</p>
      </MessagePage>
    </Centered>
  )
}
