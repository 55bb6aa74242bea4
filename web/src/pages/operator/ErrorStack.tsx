/** Where the latest occurrence was thrown, and what happened before. */
import type { ErrorReportDetail } from '../../api/errorGroups'
import { CodeBlock } from '../../components/CodeBlock'
import { CopyButton } from '../../components/CopyButton'
import { Panel } from '../../components/Panel'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { exactTime } from '../../lib/time'
import { useUser } from '../../session/useUser'
import { stackText } from './stackText'
import styles from './errors.module.css'

export function ErrorStack({ report }: { report: ErrorReportDetail }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const stack = stackText(report.exceptions)
  return (
    <>
      <Panel
        title={t('errors.stack')}
        action={stack && <CopyButton text={stack}>{t('errors.copyStack')}</CopyButton>}
      >
        {stack ? (
          <CodeBlock label={t('errors.stack')}>{stack}</CodeBlock>
        ) : (
          <p className={styles.soft}>{t('errors.noStack')}</p>
        )}
      </Panel>
      {report.breadcrumbs.length > 0 && (
        <Panel title={t('errors.before')} lead={t('errors.beforeLead')}>
          <ol className={styles.steps}>
            {report.breadcrumbs.map(({ at, category, message }, index) => (
              <li key={index}>
                <span className={styles.soft}>
                  {at != null && exactTime(at * 1000, language, zone)} {category}
                </span>
                <code className={styles.code}>{message}</code>
              </li>
            ))}
          </ol>
        </Panel>
      )}
    </>
  )
}
