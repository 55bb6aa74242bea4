import type { App } from '../../api/app'
import { CopyButton } from '../../components/CopyButton'
import { LinkButton } from '../../components/LinkButton'
import { useT } from '../../i18n/useT'
import { useApp } from '../../layouts/AppSettingsLayoutContext'
import { paths } from '../../paths'
import { Panel } from './Panel'
import { snippetOf } from './snippetText'
import styles from './detail.module.css'

/** What a developer pastes into a page. The key in it is reset on a page of its own. */
export function Snippet({ app }: { app: App }) {
  const t = useT()
  const { may } = useApp()
  const code = snippetOf(app)
  return (
    <Panel
      title={t('appDetail.snippet')}
      lead={t(app.collect_key ? 'appDetail.snippetLead' : 'appDetail.snippetFill')}
      action={<CopyButton text={code}>{t('appDetail.copySnippet')}</CopyButton>}
    >
      {/* Wide lines scroll inside, so the keyboard must be able to get into it. */}
      <pre className={styles.code} role="group" aria-label={t('appDetail.snippet')} tabIndex={0}>
        {code}
      </pre>
      {may('key:view') && (
        <LinkButton to={paths.appSecretKeys(app.id)}>{t('appDetail.toKeys')}</LinkButton>
      )}
    </Panel>
  )
}
