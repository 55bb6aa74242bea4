/** Who waits for a link that no mail server brings, and the link to hand over. */
import { useQuery } from '@tanstack/react-query'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { copyPendingLink, pendingLinksQuery, type PendingLink } from '../../api/pendingLinks'
import { LinkDialog } from '../../components/LinkMaker'
import { LoadFailure } from '../../components/LoadFailure'
import { Moment } from '../../components/Moment'
import { Page } from '../../components/Page'
import { EmptyFace } from '../../components/table/EmptyFace'
import { useNoMail } from '../../components/useMailT'
import { Waiting } from '../../components/Waiting'
import { useT } from '../../i18n/useT'
import { OperatorOnly } from './OperatorOnly'
import styles from './links.module.css'

export default function LinksPage() {
  return (
    <OperatorOnly>
      <Links />
    </OperatorOnly>
  )
}

function Links() {
  const t = useT()
  const noMail = useNoMail()
  return (
    <Page title={t('title.operatorLinks')} lead={t('operatorLinks.lead')}>
      {noMail ? <Pending /> : <p role="status">{t('operatorLinks.byMail')}</p>}
    </Page>
  )
}

function Pending() {
  const t = useT()
  const links = useQuery(pendingLinksQuery)
  const [copying, setCopying] = useState<PendingLink | null>(null)
  if (!links.data) {
    return links.error ? (
      <LoadFailure
        error={links.error}
        retrying={links.isFetching}
        onRetry={() => void links.refetch()}
      />
    ) : (
      <Waiting>
        <Skeleton active title={false} paragraph={{ rows: 4 }} />
      </Waiting>
    )
  }
  if (links.data.length === 0) {
    return <EmptyFace title={t('operatorLinks.none')}>{t('operatorLinks.noneText')}</EmptyFace>
  }
  return (
    <>
      <ul className={styles.links} aria-label={t('title.operatorLinks')}>
        {links.data.map((link) => (
          <li key={link.id}>
            <span className={styles.what}>
              <strong>{link.email}</strong>
              <span className={styles.soft}>
                {t(`operatorLinks.kind.${link.kind}`)} · {t('operatorLinks.asked')}{' '}
                <Moment at={link.created_at} /> · {t('link.until')} <Moment at={link.expires_at} />
              </span>
            </span>
            <Button
              aria-label={t('link.copyFor', { email: link.email })}
              onClick={() => setCopying(link)}
            >
              {t('link.copy')}
            </Button>
          </li>
        ))}
      </ul>
      {copying && (
        <LinkDialog
          title={t('operatorLinks.title', { email: copying.email })}
          text={t('operatorLinks.text')}
          label={t('link.copyFor', { email: copying.email })}
          make={() => copyPendingLink(copying.id)}
          onClose={() => {
            setCopying(null)
            void links.refetch()
          }}
        />
      )}
    </>
  )
}
