/** People waiting for a link that no email delivers, with the links to share. */
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { copyPendingLink, pendingLinksQuery, type PendingLink } from '../../api/pendingLinks'
import { LinkDialog } from '../../components/LinkMaker'
import { Loaded } from '../../components/Loaded'
import { Moment } from '../../components/Moment'
import { Page } from '../../components/Page'
import { EmptyFace } from '../../components/table/EmptyFace'
import { useNoMail } from '../../components/useMailT'
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
  return (
    <>
      <Loaded
        query={links}
        skeleton={4}
        empty={<EmptyFace title={t('operatorLinks.none')}>{t('operatorLinks.noneText')}</EmptyFace>}
      >
        {(found) => <LinkList links={found} onCopy={setCopying} />}
      </Loaded>
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

function LinkList({
  links,
  onCopy,
}: {
  links: PendingLink[]
  onCopy: (link: PendingLink) => void
}) {
  const t = useT()
  return (
    <ul className={styles.links} aria-label={t('title.operatorLinks')}>
      {links.map((link) => (
        <li key={link.id}>
          <span className={styles.what}>
            <strong>{link.email}</strong>
            <span className={styles.soft}>
              {t(`operatorLinks.kind.${link.kind}`)} ·{' '}
              <Moment after={t('operatorLinks.asked')} at={link.created_at} /> ·{' '}
              <Moment after={t('link.until')} at={link.expires_at} />
            </span>
          </span>
          <Button
            aria-label={t('link.copyFor', { email: link.email })}
            onClick={() => onCopy(link)}
          >
            {t('link.copy')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
