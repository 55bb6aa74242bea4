import { ADDRESSES_MOST, type ApiKey } from '../../../api/keys'
import { CopyButton } from '../../../components/CopyButton'
import { Moment } from '../../../components/Moment'
import { Counted } from '../../../components/table/Counted'
import { useT } from '../../../i18n/useT'
import { By, LastUse } from './facts'
import { PreviousValue } from './PreviousValue'
import styles from './keys.module.css'

interface ApiKeyCardProps {
  apiKey: ApiKey
  onDrop: () => void
}

/** One of the two keys: its purpose, its value as far as visible, and its use. */
export function ApiKeyCard({ apiKey, onDrop }: ApiKeyCardProps) {
  const t = useT()
  const { kind, key } = apiKey
  const name = t(`keys.kind.${kind}`)
  return (
    <article className={styles.key} aria-label={name}>
      <div>
        <h3 className={styles.keyName}>{name}</h3>
        <p className={styles.soft}>{t(`keys.about.${kind}`)}</p>
      </div>
      <div className={styles.value}>
        <code>{key}</code>
        {/* A masked value is useless. */}
        {kind === 'collect' && <CopyButton text={key}>{t('keys.copy.collect')}</CopyButton>}
      </div>
      <dl className={styles.facts}>
        <div>
          <dt>{t('keys.created')}</dt>
          <dd>
            <Moment at={apiKey.created_at} /> <By person={apiKey.created_by} />
          </dd>
        </div>
        <div>
          <dt>{t('keys.lastUsed')}</dt>
          <dd>
            <LastUse of={apiKey} />
          </dd>
        </div>
        <div>
          <dt>{t('keys.addresses')}</dt>
          <dd>
            <Counted value={apiKey.addresses} most={ADDRESSES_MOST} />
          </dd>
        </div>
      </dl>
      {apiKey.previous && (
        <PreviousValue apiKey={apiKey} previous={apiKey.previous} onDrop={onDrop} />
      )}
    </article>
  )
}
