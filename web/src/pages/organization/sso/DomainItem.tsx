import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { ApiError } from '../../../api/errors'
import { removeSsoDomain, verifySsoDomain, type SsoDomain } from '../../../api/sso'
import { Badge } from '../../../components/Badge'
import { ConfirmDialog } from '../../../components/ConfirmDialog'
import { CopyButton } from '../../../components/CopyButton'
import { FormError } from '../../../components/form/FormError'
import { Moment } from '../../../components/Moment'
import type { MessageKey } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import styles from './sso.module.css'

/** Why a domain isn't verified yet; each reason needs a different action. */
const CHECKS: Record<string, MessageKey> = {
  record_missing: 'ssoDomain.recordMissing',
  record_wrong: 'ssoDomain.recordWrong',
  dns_unavailable: 'ssoDomain.dnsUnavailable',
  domain_taken: 'ssoDomain.taken',
}

interface DomainItemProps {
  domain: SsoDomain
  onChange: (changed: SsoDomain) => void
  onRemoved: () => void
}

export function DomainItem({ domain, onChange, onRemoved }: DomainItemProps) {
  const t = useT()
  const org = useOrg()
  const [asking, setAsking] = useState(false)
  const checking = useMutation({
    mutationFn: () => verifySsoDomain(org.id, domain.domain),
    onSuccess: onChange,
  })
  const removing = useMutation({
    mutationFn: () => removeSsoDomain(org.id, domain.domain),
    onSuccess: onRemoved,
    onSettled: () => setAsking(false),
  })
  const name = { domain: domain.domain }
  const isVerified = domain.verified_at != null
  return (
    <li className={styles.domain}>
      <div className={styles.domainHead}>
        <div className={styles.domainName}>
          <strong>{domain.domain}</strong>
          <Badge tone={isVerified ? 'success' : 'warning'}>
            {t(isVerified ? 'ssoDomain.verified' : 'ssoDomain.waiting')}
          </Badge>
          {domain.verified_at != null && (
            <span className={styles.soft}>
              {t(domain.verified_by === 'operator' ? 'ssoDomain.byOperator' : 'ssoDomain.byDns')}{' '}
              <Moment at={domain.verified_at} />
            </span>
          )}
        </div>
        <div className={styles.domainActions}>
          {!isVerified && (
            <Button
              aria-label={t('ssoDomain.checkOf', name)}
              loading={checking.isPending}
              onClick={() => checking.mutate()}
            >
              {t('ssoDomain.check')}
            </Button>
          )}
          <Button aria-label={t('ssoDomain.removeOf', name)} onClick={() => setAsking(true)}>
            {t('ssoDomain.remove')}
          </Button>
        </div>
      </div>
      <FormError>
        {!checking.isPending && checking.error && checkText(checking.error, (key) => t(key, name))}
      </FormError>
      <FormError>{removing.error?.message}</FormError>
      {!isVerified && <Record domain={domain} />}
      <ConfirmDialog
        open={asking}
        title={t('ssoDomain.removeTitle', name)}
        confirm={t('ssoDomain.remove')}
        danger
        busy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onCancel={() => setAsking(false)}
      >
        {t(isVerified ? 'ssoDomain.removeText' : 'ssoDomain.removeUnverified')}
      </ConfirmDialog>
    </li>
  )
}

/** The record the domain's DNS must contain. */
function Record({ domain }: { domain: SsoDomain }) {
  const t = useT()
  return (
    <div className={styles.record}>
      <p className={styles.soft}>{t('ssoDomain.how')}</p>
      <dl>
        <div>
          <dt>{t('ssoDomain.recordType')}</dt>
          <dd>
            <code>TXT</code>
          </dd>
        </div>
        <div>
          <dt>{t('ssoDomain.recordName')}</dt>
          <dd>
            <code>{domain.record_name}</code>
            <CopyButton compact text={domain.record_name}>
              {t('ssoDomain.copyName', { domain: domain.domain })}
            </CopyButton>
          </dd>
        </div>
        <div>
          <dt>{t('ssoDomain.recordValue')}</dt>
          <dd>
            <code>{domain.record_value}</code>
            <CopyButton compact text={domain.record_value}>
              {t('ssoDomain.copyValue', { domain: domain.domain })}
            </CopyButton>
          </dd>
        </div>
      </dl>
    </div>
  )
}

function checkText(error: Error, t: (key: MessageKey) => string): string {
  const code = error instanceof ApiError ? error.code : null
  const key = code !== null && Object.hasOwn(CHECKS, code) ? CHECKS[code] : undefined
  return key ? t(key) : error.message
}
