/** The ways to send data, each with code that works as it is. */
import { useQuery } from '@tanstack/react-query'
import { accessKeysQuery } from '../../../api/keys'
import { CodeBlock } from '../../../components/CodeBlock'
import { CopyButton } from '../../../components/CopyButton'
import { LinkButton } from '../../../components/LinkButton'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { curlOf, installOf, moduleSnippetOf, signedCallOf, snippetOf } from '../../../lib/snippets'
import { paths } from '../../../paths'
import { usableKey } from './usableKey'
import styles from './start.module.css'

const TRACK = "atrium.track('signup', { plan: 'pro' })"

export function ScriptSource() {
  const t = useT()
  const { app } = useApp()
  return (
    <ol className={styles.steps}>
      <li>
        <p>{t(app.collect_key ? 'appDetail.snippetLead' : 'appDetail.snippetFill')}</p>
        <Code label={t('start.way.script')} text={snippetOf(app)} />
        <p className={styles.soft}>{t('start.version')}</p>
      </li>
      <li>
        <p>{t('start.script.reload')}</p>
      </li>
      <li>
        <p>{t('start.script.track')}</p>
        <Code label={t('start.ownEvent')} text={TRACK} />
      </li>
    </ol>
  )
}

export function ModuleSource() {
  const t = useT()
  const { app } = useApp()
  return (
    <ol className={styles.steps}>
      <li>
        <p>{t('start.module.install')}</p>
        <Code label={t('start.module.install')} text={installOf(app)} />
      </li>
      <li>
        <p>{t(app.collect_key ? 'start.module.init' : 'start.module.fill')}</p>
        <Code label={t('start.way.module')} text={moduleSnippetOf(app)} />
        <p className={styles.soft}>{t('start.version')}</p>
      </li>
    </ol>
  )
}

/** Sends one event from a terminal, with nothing to install. */
export function CurlSource() {
  const t = useT()
  const { app } = useApp()
  return (
    <ol className={styles.steps}>
      <li>
        <p>{t(app.collect_key ? 'start.curl.run' : 'start.curl.fill')}</p>
        <Code label={t('start.way.curl')} text={curlOf(app)} />
      </li>
    </ol>
  )
}

const MOST_KEYS = 100

export function ServerSource() {
  const t = useT()
  const { app, may, mayChange } = useApp()
  const keys = useQuery({
    ...accessKeysQuery(app.id, { page: 1, page_size: MOST_KEYS }),
    enabled: may('key:view'),
  })
  const key = usableKey(keys.data?.items ?? [])
  return (
    <ol className={styles.steps}>
      <li>
        <p>
          {key
            ? t('start.server.key', { name: key.name })
            : t(may('key:view') ? 'start.server.noKey' : 'start.server.noSight')}
        </p>
        {may('key:view') && (
          <LinkButton to={paths.appSecretKeys(app.id)}>
            {t(!key && mayChange('key:manage') ? 'accessKey.create' : 'appDetail.toKeys')}
          </LinkButton>
        )}
      </li>
      <li>
        <p>{t('start.server.call')}</p>
        <Code label={t('start.way.server')} text={signedCallOf(app, key?.id ?? null)} />
      </li>
    </ol>
  )
}

function Code({ label, text }: { label: string; text: string }) {
  const t = useT()
  return (
    <div className={styles.code}>
      <CodeBlock label={label}>{text}</CodeBlock>
      <CopyButton text={text}>{t('appDetail.copySnippet')}</CopyButton>
    </div>
  )
}
