import type { App } from '../../api/app'
import { CodeBlock } from '../../components/CodeBlock'
import { CopyButton } from '../../components/CopyButton'
import { LinkButton } from '../../components/LinkButton'
import { Panel } from '../../components/Panel'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { snippetOf } from '../../lib/snippets'
import { paths } from '../../paths'

/** A snippet to paste into a page. Its key is reset on a different page. */
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
      <CodeBlock label={t('appDetail.snippet')}>{code}</CodeBlock>
      {may('key:view') && (
        <LinkButton to={paths.appSecretKeys(app.id)}>{t('appDetail.toKeys')}</LinkButton>
      )}
    </Panel>
  )
}
