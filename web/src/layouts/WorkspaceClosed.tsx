import { Centered } from '../components/Centered'
import { LinkButton } from '../components/LinkButton'
import { MessagePage } from '../components/MessagePage'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { useApp } from '../session/app'

/** Shown instead of a deleted app's pages: nobody may read its data anymore. */
export function WorkspaceClosed() {
  const t = useT()
  const { app } = useApp()
  return (
    <Centered>
      <MessagePage
        instead
        title={t('workspace.closed')}
        actions={
          <>
            <LinkButton type="primary" to={paths.teamApps({ org: app.org_id })}>
              {t('title.teamApps')}
            </LinkButton>
            <LinkButton to={paths.appDetail(app.id)}>{t('workspace.settings')}</LinkButton>
          </>
        }
      >
        <p>{t('workspace.closedText')}</p>
      </MessagePage>
    </Centered>
  )
}
